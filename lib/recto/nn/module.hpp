#pragma once
/// @file
/// What makes a struct a module: one `visit` that names its parts. Counting, training, moving, saving and
/// printing a model are functions over those names; there is no base class and no registration.
///
///     struct Block {
///         nn::Linear first, second;
///         Tensor operator()(const Tensor& x) const { return second(relu(first(x))); }
///         void visit(auto&& part) { part("first", first), part("second", second); }
///     };
///
/// A part is a tensor, a module, or a range of modules. Copying a module copies handles: both train the same
/// numbers. clone() gives a copy of its own.
#include <algorithm>
#include <functional>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <recto/core/named_tensors.hpp>

/// Layers and what one does with models made of them.
namespace RECTO::nn {

/// Calls `f(name, tensor)` for every tensor of a part, depth first, with dotted names.
template <class Part, class F>
void walk(const std::string& name, Part& part, const F& f) {
    const auto below = [&](std::string_view child) {
        return name.empty() ? std::string(child) : fmt::format("{}.{}", name, child);
    };
    if constexpr (std::is_same_v<Part, Tensor>) {
        if (part.defined()) f(name, part);
    } else if constexpr (requires { part.visit([](std::string_view, auto&) {}); }) {
        part.visit([&](std::string_view child, auto& inner) { walk(below(child), inner, f); });
    } else if constexpr (std::ranges::range<Part>) {
        std::size_t i = 0;
        for (auto& inner : part) walk(below(std::to_string(i++)), inner, f);
    } else {
        static_assert(std::is_empty_v<Part> || std::is_pointer_v<Part>, "a module that holds anything needs a visit");
    }
}

/// Every tensor of a model with its name, trained or not.
template <class Model>
NamedTensors state(const Model& model) {
    NamedTensors found;
    // One visit serves readers and writers; this is a reader.
    walk("", const_cast<Model&>(model), [&](const std::string& name, Tensor& t) { found.push_back({name, t}); });
    return found;
}

/// The tensors of a model that are trained, those that want a gradient, with their names.
template <class Model>
NamedTensors parameters(const Model& model) {
    NamedTensors all = state(model);
    std::erase_if(all, [](const NamedTensor& t) { return !t.tensor.wants_grad(); });
    return all;
}

/// How many numbers these are.
Index count(const NamedTensors& tensors);

/// How many numbers of a model are trained.
template <class Model>
Index count(const Model& model) {
    return count(parameters(model));
}

/// Names, shapes and counts as a text of lines; the last line is the sum.
std::string summary(const NamedTensors& tensors);

/// The same for all tensors of a model; those that are not trained say so.
template <class Model>
std::string summary(const Model& model) {
    return summary(state(model));
}

/// Puts other numbers in place of a model's: same names, same shapes, in any order. Nothing changes unless
/// all fit. @throws Error naming the first that does not
void assign(const NamedTensors& into, const NamedTensors& from);

/// Puts f(tensor) in place of every tensor of a model, trained where the old one is. Several handles of one tensor (tied
/// weights) become several handles of one again.
template <class Model, class F>
void replace(Model& model, const F& f) {
    const auto same = [](const Tensor& a, const Tensor& b) {
        return a.node() == b.node() && a.data() == b.data() && a.shape() == b.shape() && a.strides() == b.strides();
    };
    std::vector<std::pair<Tensor, Tensor>> done;
    walk("", model, [&](const std::string&, Tensor& t) {
        const auto found = std::ranges::find_if(done, [&](const auto& pair) { return same(pair.first, t); });
        if (found != done.end()) {
            t = found->second;
            return;
        }
        Tensor fresh = f(t);
        if (t.wants_grad()) fresh.requires_grad();
        done.emplace_back(std::exchange(t, fresh), fresh);
    });
}

/// Moves a model to another device. Optimisers that were given its parameters before still hold the old ones.
template <class Model>
void to(Model& model, Device device) {
    replace(model, [&](const Tensor& t) { return t.device() == device ? t : t.detach().to(device); });
}

/// Tells every layer of a model that behaves differently in training (one with a member `training`) which it is.
template <class Part>
void set_training(Part& part, bool training) {
    if constexpr (requires { part.training = training; }) part.training = training;
    if constexpr (requires { part.visit([](std::string_view, auto&) {}); })
        part.visit([&](std::string_view, auto& inner) { set_training(inner, training); });
    else if constexpr (std::ranges::range<Part>)
        for (auto& inner : part) set_training(inner, training);
}

/// A copy that shares no number with the original; trained where it is.
template <class Model>
Model clone(const Model& model) {
    Model copy = model;
    replace(copy, copy_of);
    return copy;
}

/// Writes all tensors of a model to a file, crash-safely (io/parameters.hpp). @throws Error
void save(const std::string& path, const NamedTensors& tensors);

/// Writes all tensors of a model to a file.
template <class Model>
void save(const std::string& path, const Model& model) {
    save(path, state(model));
}

/// Reads them again; the file must have exactly the model's names and shapes. The model stays as it
/// was when something is wrong. @throws Error
void load(const std::string& path, const NamedTensors& into);

/// Reads a model's tensors from a file.
template <class Model>
void load(const std::string& path, Model& model) {
    load(path, state(model));
}

}  // namespace RECTO::nn
