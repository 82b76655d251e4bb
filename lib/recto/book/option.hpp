#pragma once
/// @file
/// A page's own settings, each a constant at namespace scope that is also an option of its command line.
#include <concepts>
#include <optional>
#include <string>
#include <vector>

#include <recto/base/config.hpp>

namespace RECTO::book {

/// Limits of an option's value, and its value with `--quick`.
template <class T>
struct Limits {
    std::optional<T> quick = {};  ///< The value with `--quick`; empty: the standard value.
    std::optional<T> least = {};  ///< The smallest value allowed.
    std::optional<T> most = {};   ///< The largest value allowed.
    std::vector<T> among = {};    ///< The only values allowed, if not empty.
};

/// The type-independent part of an option. The constructor registers the option in all_options().
class AnyOption {
public:
    AnyOption(const AnyOption&) = delete;
    AnyOption& operator=(const AnyOption&) = delete;

    const std::string& name() const { return name_; }  ///< `points` for `--points`.
    const std::string& help() const { return help_; }  ///< Its description, in a few words.

    virtual std::string standard_text() const = 0;  ///< The standard value, as typed on the command line.
    virtual std::string text() const = 0;           ///< The value in use, as typed on the command line.
    virtual std::string wanted() const = 0;         ///< The allowed values, in words.
    virtual bool is_flag() const = 0;               ///< Whether `--name` alone means true.

    /// Sets the value from the command line; false if it is not allowed.
    virtual bool take(const std::string& text) const = 0;
    /// Resets to the standard value, or to the quick value.
    virtual void reset(bool quick) const = 0;

protected:
    /// Registers the option in all_options().
    AnyOption(std::string name, std::string help);
    ~AnyOption();

private:
    std::string name_, help_;
};

/// The types of options.
template <class T>
concept OptionValue = std::same_as<T, int> || std::same_as<T, Index> || std::same_as<T, double> ||
    std::same_as<T, bool> || std::same_as<T, std::string>;

/// An option of a page: `const book::Option<int> points("points", 30, "how many samples");`, read as `points()`. In a
/// run with a non-standard value, claims are not judged.
template <OptionValue T>
class Option final : public AnyOption {
public:
    /// @param name      as typed after the two dashes
    /// @param standard  the value that the book shows
    /// @param help      a description, in a few words
    /// @param limits    `{.quick = 8, .least = 1}`: the allowed values, and the value with `--quick`
    Option(std::string name, T standard, std::string help, Limits<T> limits = {});

    /// The value in use.
    const T& operator()() const { return value_; }
    /// The allowed values.
    const Limits<T>& limits() const { return limits_; }

    std::string standard_text() const override;
    std::string text() const override;
    std::string wanted() const override;
    bool is_flag() const override { return std::same_as<T, bool>; }
    bool take(const std::string& text) const override;
    void reset(bool quick) const override;

private:
    T standard_;
    Limits<T> limits_;
    mutable T value_;  // a page's options are constants; only the command line changes them
};

extern template class Option<int>;
extern template class Option<Index>;
extern template class Option<double>;
extern template class Option<bool>;
extern template class Option<std::string>;

/// All options of this program, in the order in which they were created.
const std::vector<const AnyOption*>& all_options();

}  // namespace RECTO::book
