#pragma once
/// @file
/// Modules: a struct is a module if it has a `visit` that names its parts. Counting, training, moving, saving and
/// printing a model are functions over those names; there is no base class and no registration.
///
///     struct Block {
///         nn::Linear first, second;
///         Tensor operator()(const Tensor& x) const { return second(relu(first(x))); }
///         void visit(auto&& part) { part("first", first), part("second", second); }
///     };
///
/// A part is a tensor, a module, or a range of modules. Copying a module copies handles: both copies share their
/// parameters. clone() makes a deep copy.
#include <algorithm>
#include <functional>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <recto/core/named_tensors.hpp>

/// Layers, and functions on models made of them.
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

/// All tensors of a model, trained or not, with their names.
template <class Model>
NamedTensors state(const Model& model) {
    NamedTensors found;
    // visit() serves readers and writers; this function only reads.
    walk("", const_cast<Model&>(model), [&](const std::string& name, Tensor& t) { found.push_back({name, t}); });
    return found;
}

/// The trained tensors of a model, those that require a gradient, with their names; tied weights, which two layers
/// share, appear once.
template <class Model>
NamedTensors parameters(const Model& model) {
    NamedTensors all = each_once(state(model));
    std::erase_if(all, [](const NamedTensor& t) { return !t.tensor.requires_grad(); });
    return all;
}

/// The total number of elements; tied weights count once.
Index count(const NamedTensors& tensors);

/// The number of trained parameters of a model.
template <class Model>
Index count(const Model& model) {
    return count(parameters(model));
}

/// Names, shapes and counts, one line each; the last line is the total, in which tied weights count once.
std::string summary(const NamedTensors& tensors);

/// Names, shapes and counts of all tensors of a model; tensors that are not trained are marked.
template <class Model>
std::string summary(const Model& model) {
    return summary(state(model));
}

/// Copies the values of `from` into the tensors `into`: same names, same shapes, in any order. Nothing changes unless
/// all fit. @throws Error with the name of the first that does not fit
void assign(const NamedTensors& into, const NamedTensors& from);

/// Replaces every tensor of a model by the result of `make`, and requires a gradient where the old tensor did. Tied
/// weights stay tied.
/// @param make  maps the old, detached tensor to the new one; if the new one is undefined, the old tensor stays
template <class Model, class Make>
void replace(Model& model, const Make& make) {
    std::vector<std::pair<Tensor, Tensor>> replaced;  // old and new
    walk("", model, [&](const std::string&, Tensor& t) {
        for (const auto& [old, made] : replaced)
            if (same_tensor(old, t)) {
                t = made;
                return;
            }
        Tensor made = make(t.detach());
        if (!made.defined()) return;
        if (t.requires_grad()) made.requires_grad_();
        replaced.emplace_back(t, made);
        t = made;
    });
}

/// Moves a model to another device. An optimiser created before still has the old parameters. Tensors that are already
/// on the device stay unchanged.
template <class Model>
void to(Model& model, Device device) {
    replace(model, [&](const Tensor& t) { return t.device() == device ? Tensor() : t.to(device); });
}

/// Sets training or evaluation mode in every layer of a model that has a member `training`, such as dropout.
template <class Part>
void set_training(Part& part, bool training) {
    if constexpr (requires { part.training = training; }) part.training = training;
    if constexpr (requires { part.visit([](std::string_view, auto&) {}); })
        part.visit([&](std::string_view, auto& inner) { set_training(inner, training); });
    else if constexpr (std::ranges::range<Part>)
        for (auto& inner : part) set_training(inner, training);
}

/// A deep copy, with the same tensors trained and tied.
template <class Model>
Model clone(const Model& model) {
    Model copy = model;
    replace(copy, [](const Tensor& x) { return clone(x.detach()); });
    return copy;
}

/// Writes all tensors of a model to a file, safe against crashes (io/parameters.hpp). @throws Error when the file
/// cannot be written
void save(const std::string& path, const NamedTensors& tensors);

/// Writes all tensors of a model to a file.
template <class Model>
void save(const std::string& path, const Model& model) {
    save(path, state(model));
}

/// Reads tensors from a file, which must have exactly these names and shapes. Nothing changes on an error. @throws
/// Error when the file is invalid or does not fit
void load(const std::string& path, const NamedTensors& into);

/// Reads a model's tensors from a file.
template <class Model>
void load(const std::string& path, Model& model) {
    load(path, state(model));
}

}  // namespace RECTO::nn
