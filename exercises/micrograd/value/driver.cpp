// Runs a few lines that look like C++ with the student's Value: "c = a * b", "c.backward()", "a.zero_grad()".
#include "driver.hpp"

#include <pthread.h>

#include <cctype>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "value.hpp"

namespace {

class Script {
public:
    void run(const std::string& line) {
        const std::size_t equals = line.find(" = "), dot = line.find(".backward()"), zero = line.find(".zero_grad()");
        if (equals != std::string::npos)
            define(line.substr(0, equals), line.substr(equals + 3));
        else if (dot != std::string::npos)
            find(line.substr(0, dot)).backward();
        else
            find(line.substr(0, zero)).zero_grad();
    }
    // The numbers and the gradients, in the order in which the lines name them first.
    void tell(kit::Answer& out) const {
        std::vector<double> data, grad;
        for (const auto& [name, value] : values_) {
            data.push_back(value.data());
            grad.push_back(value.grad());
        }
        out.write(data);
        out.write(grad);
    }

private:
    Value& find(const std::string& name) {
        for (auto& [other, value] : values_)
            if (other == name) return value;
        throw std::runtime_error("kit: no line defines " + name);
    }
    void define(const std::string& name, const std::string& text) {
        const Value result = compute(text);
        for (auto& [other, value] : values_)
            if (other == name) {
                value = result;
                return;
            }
        values_.emplace_back(name, result);
    }
    // An argument of an operation that is destroyed when the operation returns: a function that keeps a reference to its
    // argument for later reads freed memory.
    struct Operand {
        Value& value;
        Operand(Value& slot, Value what) : value(slot) { value = std::move(what); }
        Operand(const Operand&) = delete;
        Operand& operator=(const Operand&) = delete;
        ~Operand() { value.node = nullptr; }
    };
    // A name, or a number: a constant, a new leaf.
    Value read(const std::string& text) {
        const bool letter = std::isalpha(static_cast<unsigned char>(text[0]));
        return letter && text != "nan" && text != "inf" ? find(text) : Value(std::stod(text));
    }
    Value compute(const std::string& text) {
        const std::size_t open = text.find('('), space = text.find(' ');
        if (open != std::string::npos) return call(text.substr(0, open), text.substr(open + 1, text.size() - open - 2));
        if (space != std::string::npos) {
            const Operand a(first_, read(text.substr(0, space))), b(second_, read(text.substr(space + 3)));
            switch (text[space + 1]) {
                case '+':
                    return a.value + b.value;
                case '-':
                    return a.value - b.value;
                case '*':
                    return a.value * b.value;
                default:
                    return a.value / b.value;
            }
        }
        if (text[0] != '-' || !std::isalpha(static_cast<unsigned char>(text[1]))) return read(text);
        const Operand a(first_, read(text.substr(1)));
        return -a.value;
    }
    Value call(const std::string& function, const std::string& inside) {
        const std::size_t comma = inside.find(", ");
        const Operand a(first_, read(inside.substr(0, comma)));
        if (function == "pow") return pow(a.value, std::stod(inside.substr(comma + 2)));
        return function == "exp" ? exp(a.value) : function == "tanh" ? tanh(a.value) : relu(a.value);
    }

    Value first_, second_;
    std::vector<std::pair<std::string, Value>> values_;
};

void run(kit::Arguments& in, kit::Answer& out) {
    Script script;
    for (const std::string& line : in.next<std::vector<std::string>>()) script.run(line);
    script.tell(out);
}

struct Deep {
    double start = 0, step = 0;
    long count = 0;
    double data = 0, grad = 0;
    std::string error = {};
};

// y = start; `count` times: y = y + step, or y = y + y if step is 0.
void* build_deep(void* at) {
    Deep& deep = *static_cast<Deep*>(at);
    try {
        const Value start(deep.start);
        Value y = start;
        for (long i = 0; i < deep.count; ++i) y = deep.step == 0 ? y + y : y + Value(deep.step);
        y.backward();
        deep.data = y.data();
        deep.grad = start.grad();
    } catch (const std::exception& error) {
        deep.error = error.what();
    }
    return nullptr;
}

// Runs on a stack of 256 KiB, so that the possible depth of a recursion is the same on every machine.
void in_a_small_stack(Deep deep, kit::Answer& out) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 256 << 10);
    pthread_t thread;
    if (pthread_create(&thread, &small, build_deep, &deep) != 0)
        throw std::runtime_error("kit: could not start a thread");
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&small);
    if (!deep.error.empty()) throw std::runtime_error(deep.error);
    out.write(deep.data);
    out.write(deep.grad);
}

void chain(kit::Arguments& in, kit::Answer& out) {
    const double start = in.next<double>(), step = in.next<double>();
    in_a_small_stack({.start = start, .step = step, .count = in.next<long>()}, out);
}
void doublings(kit::Arguments& in, kit::Answer& out) {
    const double start = in.next<double>();
    in_a_small_stack({.start = start, .count = in.next<long>()}, out);
}

const kit::Function run_("run", run);
const kit::Function chain_("chain", chain);
const kit::Function doublings_("doublings", doublings);

}  // namespace
