#include <recto/io/checkpoint.hpp>

#include <charconv>
#include <map>

#include <recto/io/parameters.hpp>
#include <recto/io/plain_text.hpp>

namespace RECTO::io {
namespace {

constexpr const char* mark = "recto checkpoint";  // the note that identifies a checkpoint
constexpr const char* version = "1";

std::string text_of(double number) { return fmt::format("{:a}", number); }  // hexadecimal, to preserve every bit
template <class Whole>
std::string text_of(Whole number) {
    return std::to_string(number);
}

/// Whether the whole text is one number of this type.
template <class Number>
bool read_number(std::string_view text, Number& number) {
    const auto parsed = [&](auto... format) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, format...);
        return error == std::errc() && end == text.data() + text.size();
    };
    if constexpr (std::is_floating_point_v<Number>) {
        const bool negative = text.starts_with('-');
        text.remove_prefix(negative);
        if (text.starts_with("0x")) text.remove_prefix(2);  // from_chars accepts only the digits
        if (!parsed(std::chars_format::hex)) return false;
        number = negative ? -number : number;
        return true;
    } else {
        return parsed();
    }
}

}  // namespace

template <class Number>
void Parts::add_number(const std::string& name, Number& number) {
    texts_.push_back({name, [&number] { return text_of(number); },
                      [&number](const std::string& text) -> std::function<void()> {
                          Number read{};
                          if (!read_number(text, read)) return {};
                          return [&number, read] { number = read; };
                      }});
}

void Parts::add(const std::string& name, Tensor& tensor) {
    // A layer may lack an optional tensor, such as a bias.
    if (tensor.defined()) tensors_.push_back({name, &tensor, {}});
}
void Parts::add(const std::string& name, Tensor& tensor, const Tensor& like) {
    tensors_.push_back({name, &tensor, like});
}
void Parts::add(const std::string& name, Index& number) { add_number(name, number); }
void Parts::add(const std::string& name, std::uint64_t& number) { add_number(name, number); }
void Parts::add(const std::string& name, double& number) { add_number(name, number); }
void Parts::add(const std::string& name, Generator& random) {
    texts_.push_back({name, [&random] { return fmt::format("{} {}", random.seed(), random.calls()); },
                      [&random](const std::string& text) -> std::function<void()> {
                          std::uint64_t seed = 0, calls = 0;
                          const std::size_t space = text.find(' ');
                          if (space == text.npos || !read_number(std::string_view(text).substr(0, space), seed) ||
                              !read_number(std::string_view(text).substr(space + 1), calls))
                              return {};
                          return [&random, seed, calls] { random = Generator(seed, calls); };
                      }});
}

void Parts::save(const std::string& path) const {
    NamedTensors tensors;
    for (const KeptTensor& kept : tensors_)
        if (kept.tensor->defined()) tensors.push_back({kept.name, *kept.tensor});
    Notes notes{{mark, version}};
    for (const KeptText& kept : texts_)
        check(notes.emplace(kept.name, kept.get()).second, "save_checkpoint: wanted every name once, got '{}' again",
              kept.name);
    save_parameters(path, tensors, notes);
}

void Parts::load(const std::string& path) const {
    ParameterFile file = read_parameters(path);
    const std::string who = "load_checkpoint " + escaped(path);
    const auto found_mark = file.notes.find(mark);
    check(found_mark != file.notes.end() && found_mark->second == version,
          "{}: wanted a file that save_checkpoint wrote, got another kind of file", who);
    file.notes.erase(found_mark);

    std::map<std::string_view, const Tensor*> tensors;
    for (const NamedTensor& t : file.tensors) tensors[t.name] = &t.tensor;
    std::vector<std::function<void()>> changes;  // made only after all parts have been checked
    for (const KeptTensor& kept : tensors_) {
        const bool may_be_missing = kept.like.defined();
        const auto found = tensors.find(kept.name);
        check(found != tensors.end() || may_be_missing, "{}: wanted a tensor '{}', got none", who, kept.name);
        if (found == tensors.end()) {
            changes.push_back([&kept] { *kept.tensor = Tensor(); });
            continue;
        }
        const Tensor& from = *found->second;
        const Shape shape = may_be_missing ? kept.like.shape() : kept.tensor->shape();
        check(from.shape() == shape, "{}: wanted '{}' of shape {}, got shape {}", who, kept.name, shape, from.shape());
        if (may_be_missing)
            changes.push_back([&kept, &from] { *kept.tensor = from.to(kept.like.device()); });
        else
            changes.push_back([&kept, &from] { kept.tensor->copy_(from); });
        tensors.erase(found);
    }
    for (const KeptText& kept : texts_) {
        const auto found = file.notes.find(kept.name);
        check(found != file.notes.end(), "{}: wanted a number '{}', got none", who, kept.name);
        std::function<void()> change = kept.parse(found->second);
        check(bool(change), "{}: wanted a number '{}', got '{}'", who, kept.name, escaped(found->second));
        changes.push_back(std::move(change));
        file.notes.erase(found);
    }
    check(tensors.empty(), "{}: has a tensor '{}' that is not wanted", who,
          tensors.empty() ? "" : escaped(tensors.begin()->first));
    check(file.notes.empty(), "{}: has a number '{}' that is not wanted", who,
          file.notes.empty() ? "" : escaped(file.notes.begin()->first));
    for (const auto& change : changes) change();
}

}  // namespace RECTO::io
