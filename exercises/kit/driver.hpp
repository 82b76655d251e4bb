#pragma once
// The interface between the judge and a student's functions. A driver names the functions:
//
//     #include "driver.hpp"
//     #include "softmax.hpp"
//     static const kit::Function softmax_("softmax", softmax);
//
// Arguments come in frames on standard input, answers go out in frames (tools/recto/judge/frames.py is the other side).
// A function may take and return bool, int, long, float, double, std::string, std::vector of float, double, int, long or
// std::string, Matrix, kit::Floats, Tensor (tensor.hpp); a std::tuple or std::pair of these counts as several answers.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "matrix.hpp"

namespace kit {

// Numbers with a shape, in single precision.
struct Floats {
    std::vector<int> shape;
    std::vector<float> numbers;
};

// Takes the values of one question, in order; throws if the judge sent a value of another kind.
class Arguments {
public:
    explicit Arguments(std::string bytes) : bytes_(std::move(bytes)) {}
    void read(bool& value);
    void read(int& value);
    void read(long& value);
    void read(float& value);
    void read(double& value);
    void read(std::string& value);
    void read(std::vector<float>& value);
    void read(std::vector<double>& value);
    void read(std::vector<int>& value);
    void read(std::vector<long>& value);
    void read(std::vector<std::string>& value);
    void read(Matrix& value);
    void read(Floats& value);
    // A Tensor. This is a template because an exercise may have another class of that name.
    template <class T>
    requires requires(T value) { value.shape.fill(0); }
    void read(T& value) {
        std::vector<int> shape;
        value.numbers = array<double>('D', shape);
        if (shape.size() != value.shape.size())
            throw std::runtime_error("kit: the function takes a tensor, the judge sent another number of axes");
        std::copy(shape.begin(), shape.end(), value.shape.begin());
    }
    template <class T>
    T next() {
        T value{};
        read(value);
        return value;
    }

private:
    void raw(void* to, std::size_t count);
    template <class T>
    std::vector<T> array(char kind, std::vector<int>& shape);
    void kind(char wanted);
    std::string bytes_;
    std::size_t at_ = 0;
};

// Collects the values of one answer.
class Answer {
public:
    void write(bool value) { write(long(value)); }
    void write(int value) { write(long(value)); }
    void write(long value);
    void write(float value) { write(double(value)); }
    void write(double value);
    void write(const std::string& value);
    void write(const std::vector<float>& value);
    void write(const std::vector<double>& value);
    void write(const std::vector<int>& value);
    void write(const std::vector<long>& value);
    void write(const std::vector<std::string>& value);
    void write(const Matrix& value);
    void write(const Floats& value);
    // A Tensor.
    template <class T>
    requires requires(T value) { value.shape.fill(0); }
    void write(const T& value) {
        array('D', {value.shape.begin(), value.shape.end()}, value.numbers.data(), sizeof(double),
              value.numbers.size());
    }
    template <class... T>
    void write(const std::tuple<T...>& values) {
        std::apply([this](const auto&... value) { (write(value), ...); }, values);
    }
    template <class A, class B>
    void write(const std::pair<A, B>& values) {
        write(values.first);
        write(values.second);
    }
    std::string bytes;

private:
    void raw(const void* from, std::size_t count);
    void array(char kind, const std::vector<int>& shape, const void* numbers, std::size_t size, std::size_t count);
};

// A function of the student by its name.
class Function {
public:
    template <class R, class... A>
    Function(const char* name, R (*function)(A...)) : Function(name, reinterpret_cast<void*>(function), &call<R, A...>) {}
    // For a part that is more than one call of the student's: a function that reads the arguments and writes the answer.
    Function(const char* name, void (*by_hand)(Arguments&, Answer&)) : Function(name, nullptr, nullptr, by_hand) {}

    static const Function* find(const std::string& name);
    void operator()(Arguments& in, Answer& out) const { by_hand_ ? by_hand_(in, out) : call_(function_, in, out); }

private:
    using Call = void (*)(void*, Arguments&, Answer&);
    using ByHand = void (*)(Arguments&, Answer&);
    Function(const char* name, void* function, Call call, ByHand by_hand = nullptr);

    template <class R, class... A>
    static void call(void* function, Arguments& in, Answer& out) {
        std::tuple<std::decay_t<A>...> arguments{in.next<std::decay_t<A>>()...};
        const auto typed = reinterpret_cast<R (*)(A...)>(function);
        if constexpr (std::is_void_v<R>) {  // the function changes its arguments: those are the answer
            std::apply([&](auto&... value) { typed(value...); }, arguments);
            out.write(arguments);
        } else {
            out.write(std::apply([&](auto&... value) -> R { return typed(value...); }, arguments));
        }
    }

    const char* name_;
    void* function_;
    Call call_;
    ByHand by_hand_;
    const Function* next_;
};

// From now on the program reports where it is when the judge's time limit is over.
void listen_for_the_end();
// Reads one question from a file, calls the function that it names, and writes the answer; false at the end of the questions.
bool serve(int questions, int answers);
// Reads all of these bytes from a file, or writes them to it; false if the file ends before.
bool read_all(int file, void* to, std::size_t count);
bool write_all(int file, const std::string& bytes);

// Shows the progress of a training run, from 0 to 1, and its loss, while the program runs.
void progress(double done, double loss);

}  // namespace kit
