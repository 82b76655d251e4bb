#pragma once
/// @file
/// Checkpoints: the complete state of training in one file. A resumed training gives the same bits as an uninterrupted
/// one.
///
///     struct Training {
///         nn::Mlp model;
///         optim::Adam adam;
///         data::Passes batches;
///         Generator random;
///         void visit(auto&& part) { part("model", model), part("adam", adam), part("batches", batches), part("random", random); }
///     };
///     if (std::filesystem::exists(path)) io::load_checkpoint(path, training);
///     for (Index step = training.batches.taken(); step < steps; ++step) {
///         ...
///         if (step % 100 == 99) io::save_checkpoint(path, training);
///     }
#include <concepts>
#include <functional>
#include <ranges>
#include <type_traits>

#include <recto/core/named_tensors.hpp>
#include <recto/core/random.hpp>

namespace RECTO::io {

/// The contents of a checkpoint: names, and addresses in memory.
class Parts {
public:
    /// A tensor of the model.
    void add(const std::string& name, Tensor& tensor);
    /// A tensor that its owner creates at first use, with the shape and device of another: it may be undefined, and is
    /// restored as it was.
    void add(const std::string& name, Tensor& tensor, const Tensor& like);
    void add(const std::string& name, Index& number);          ///< A count or an index.
    void add(const std::string& name, std::uint64_t& number);  ///< A seed.
    void add(const std::string& name, double& number);         ///< A fraction, preserved to the last bit.
    void add(const std::string& name, Generator& random);      ///< The state of a generator.

    /// Writes everything, safe against crashes: tensors as such, the rest as notes. @throws Error when the file cannot
    /// be written
    void save(const std::string& path) const;
    /// Reads everything; nothing changes unless all parts fit. @throws Error with the name of the first that does not
    /// fit
    void load(const std::string& path) const;

private:
    struct KeptTensor {
        std::string name;
        Tensor* tensor;
        Tensor like;  // if defined, the tensor may be missing
    };
    struct KeptText {
        std::string name;
        std::function<std::string()> get;
        // Parses a text and returns the change; empty for an invalid text.
        std::function<std::function<void()>(const std::string&)> parse;
    };
    template <class Number>
    void add_number(const std::string& name, Number& number);

    std::vector<KeptTensor> tensors_;
    std::vector<KeptText> texts_;
};

/// An optimiser: its lists of tensors and of counts have one entry for each parameter.
template <class T>
concept HasParameters = requires(T& optimiser) {
    { optimiser.parameters() } -> std::convertible_to<const NamedTensors&>;
};

/// Adds a part and everything that it visits, with dotted names. The tensors and counts in the lists of an optimiser
/// are stored under the names of its parameters.
template <class Part>
void collect(const std::string& name, Part& part, Parts& into) {
    const auto below = [&](std::string_view child) {
        return name.empty() ? std::string(child) : fmt::format("{}.{}", name, child);
    };
    if constexpr (requires { into.add(name, part); }) {
        into.add(name, part);
    } else if constexpr (std::is_same_v<Part, NamedTensor>) {
        into.add(below(part.name), part.tensor);
    } else if constexpr (HasParameters<Part>) {
        const NamedTensors& of = part.parameters();
        part.visit([&](std::string_view child, auto& inner) {
            if constexpr (std::is_same_v<decltype(inner), std::vector<Tensor>&>)
                for (std::size_t i = 0; i < of.size(); ++i)
                    into.add(below(fmt::format("{}.{}", child, of[i].name)), inner[i], of[i].tensor);
            else if constexpr (std::is_same_v<decltype(inner), std::vector<Index>&>)
                for (std::size_t i = 0; i < of.size(); ++i)
                    into.add(below(fmt::format("{}.{}", child, of[i].name)), inner[i]);
            else
                collect(below(child), inner, into);
        });
    } else if constexpr (requires { part.visit([](std::string_view, auto&) {}); }) {
        part.visit([&](std::string_view child, auto& inner) { collect(below(child), inner, into); });
    } else if constexpr (std::is_same_v<Part, NamedTensors>) {
        for (NamedTensor& t : part) collect(name, t, into);
    } else if constexpr (std::ranges::range<Part>) {
        std::size_t i = 0;
        for (auto& inner : part) collect(below(std::to_string(i++)), inner, into);
    } else {
        static_assert(std::is_empty_v<Part> || std::is_pointer_v<Part>,
                      "a checkpoint keeps tensors, Index, std::uint64_t, double, generators, and what visits them");
    }
}

/// Writes everything that `training` visits, safe against crashes. @throws Error when the file cannot be written
template <class Training>
void save_checkpoint(const std::string& path, const Training& training) {
    Parts parts;
    // One visit() serves readers and writers; this function only reads.
    collect("", const_cast<Training&>(training), parts);
    parts.save(path);
}

/// Restores `training`: the file must have exactly the names and shapes that it visits. Nothing changes on an error.
/// @throws Error when the file is invalid or does not fit
template <class Training>
void load_checkpoint(const std::string& path, Training& training) {
    Parts parts;
    collect("", training, parts);
    parts.load(path);
}

}  // namespace RECTO::io
