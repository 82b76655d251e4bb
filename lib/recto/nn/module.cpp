#include <recto/nn/module.hpp>

#include <algorithm>
#include <map>

#include <recto/io/parameters.hpp>

namespace RECTO::nn {

Index count(const NamedTensors& tensors) {
    Index total = 0;
    for (const NamedTensor& t : each_once(tensors)) total += t.tensor.numel();
    return total;
}

std::string summary(const NamedTensors& tensors) {
    std::size_t name_width = 5, shape_width = 5;
    for (const NamedTensor& t : tensors) {
        name_width = std::max(name_width, t.name.size());
        shape_width = std::max(shape_width, to_string(t.tensor.shape()).size());
    }
    std::string text;
    const auto line = [&](const std::string& name, const std::string& shape, Index numbers, const std::string& note) {
        text += fmt::format("{:<{}}  {:<{}}  {:>10}{}\n", name, name_width, shape, shape_width, numbers, note);
    };
    for (const NamedTensor& t : tensors) {
        const NamedTensor& first = *std::ranges::find_if(
            tensors, [&](const NamedTensor& other) { return same_tensor(other.tensor, t.tensor); });
        std::string note = t.tensor.requires_grad() ? "" : "  not trained";
        if (&first != &t) note += fmt::format("  the same as {}", first.name);
        line(t.name, to_string(t.tensor.shape()), t.tensor.numel(), note);
    }
    line("total", "", count(tensors), "");
    return text;
}

void assign(const NamedTensors& into, const NamedTensors& from) {
    std::map<std::string_view, const Tensor*> source;
    for (const NamedTensor& t : from) source[t.name] = &t.tensor;
    for (const NamedTensor& t : into) {
        const auto found = source.find(t.name);
        check(found != source.end(), "assign: wanted a tensor '{}' of shape {}, got none of that name", t.name,
              t.tensor.shape());
        check(found->second->shape() == t.tensor.shape(), "assign: wanted '{}' of shape {}, got shape {}", t.name,
              t.tensor.shape(), found->second->shape());
    }
    check(source.size() == into.size(), "assign: wanted {} tensors, got {}", into.size(), source.size());
    for (const NamedTensor& t : into) Tensor(t.tensor).copy_(*source[t.name]);
}

void save(const std::string& path, const NamedTensors& tensors) { io::save_parameters(path, tensors); }

void load(const std::string& path, const NamedTensors& into) {
    const NamedTensors from = io::load_parameters(path);
    try {
        assign(into, from);
    } catch (const Error& error) {
        throw Error(fmt::format("load {}: {}", path, error.what()));
    }
}

}  // namespace RECTO::nn
