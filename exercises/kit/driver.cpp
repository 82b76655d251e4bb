// Reads questions, calls the student's functions, writes answers. It knows no expected value.
#include "driver.hpp"

#include <link.h>
#include <unistd.h>
#include <unwind.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>

extern "C" char __executable_start, etext;  // from the linker: where the code of this program begins and ends

namespace kit {
namespace {

const Function* first = nullptr;

void send(int answers, std::uint64_t number, char status, const std::string& values) {
    const std::uint32_t length = std::uint32_t(sizeof number + 1 + values.size());
    std::string frame(sizeof length + sizeof number, 0);
    std::memcpy(frame.data(), &length, sizeof length);
    std::memcpy(frame.data() + sizeof length, &number, sizeof number);
    if (!write_all(answers, frame + status + values)) _exit(3);  // the judge has closed the pipe
}

std::uintptr_t loaded_at = 0;  // what is added to the addresses in the program's file

// One line for the judge, which translates these addresses to lines of the source.
struct Where {
    char text[128] = "\x1e" "at";  // as of progress below
    int length = 3, frames = 0;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* to) {
    Where& where = *static_cast<Where*>(to);
    int exact = 0;  // whether the address is the interrupted instruction, and not the instruction after a call
    const std::uintptr_t at = _Unwind_GetIPInfo(context, &exact);
    const bool ours = at >= reinterpret_cast<std::uintptr_t>(&__executable_start) && at < reinterpret_cast<std::uintptr_t>(&etext);
    if (ours && ++where.frames <= 12)
        where.length += std::snprintf(where.text + where.length, sizeof where.text - std::size_t(where.length), " %lx",
                                      (unsigned long)(at - loaded_at - !exact) & 0xffffffff);
    return where.frames < 12 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

// Called when the judge's time limit is over: reports where the program is, innermost call first, and ends it.
void say_where(int signal) {
    Where where;
    _Unwind_Backtrace(add_frame, &where);
    where.text[where.length] = '\n';
    (void)!::write(STDERR_FILENO, where.text, std::size_t(where.length) + 1);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

}  // namespace

void listen_for_the_end() {
    dl_iterate_phdr(
        [](dl_phdr_info* program, std::size_t, void*) {
            loaded_at = program->dlpi_addr;
            return 1;  // the program itself comes first
        },
        nullptr);
    std::signal(SIGXCPU, say_where);
}

bool read_all(int file, void* to, std::size_t count) {
    for (char* at = static_cast<char*>(to); count > 0;) {
        const ssize_t got = ::read(file, at, count);
        if (got <= 0) return false;
        at += got;
        count -= std::size_t(got);
    }
    return true;
}
bool write_all(int file, const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t put = ::write(file, bytes.data() + at, bytes.size() - at);
        if (put <= 0) return false;
        at += std::size_t(put);
    }
    return true;
}

Function::Function(const char* name, void* function, Call call, ByHand by_hand)
    : name_(name), function_(function), call_(call), by_hand_(by_hand), next_(first) {
    first = this;
}

const Function* Function::find(const std::string& name) {
    const Function* at = first;
    while (at && name != at->name_) at = at->next_;
    return at;
}

void Arguments::raw(void* to, std::size_t count) {
    if (count > bytes_.size() - at_) throw std::runtime_error("kit: the judge sent fewer bytes than the function takes");
    if (count) std::memcpy(to, bytes_.data() + at_, count);
    at_ += count;
}
void Arguments::kind(char wanted) {
    char got = 0;
    raw(&got, 1);
    if (got != wanted)
        throw std::runtime_error(std::string("kit: the function takes a value of kind ") + wanted + ", the judge sent " + got);
}
template <class T>
std::vector<T> Arguments::array(char wanted, std::vector<int>& shape) {
    kind(wanted);
    std::uint32_t rank = 0, size = 0;
    raw(&rank, sizeof rank);
    std::size_t count = 1;
    for (std::uint32_t axis = 0; axis < rank; ++axis) {
        raw(&size, sizeof size);
        shape.push_back(int(size));
        count *= size;
    }
    std::vector<T> numbers(count);
    raw(numbers.data(), count * sizeof(T));
    return numbers;
}
template std::vector<double> Arguments::array(char, std::vector<int>&);  // driver.hpp reads tensors with it

void Arguments::read(long& value) {
    kind('i');
    raw(&value, sizeof value);
}
void Arguments::read(bool& value) { value = next<long>() != 0; }
void Arguments::read(int& value) { value = int(next<long>()); }
void Arguments::read(double& value) {
    kind('d');
    raw(&value, sizeof value);
}
void Arguments::read(float& value) { value = float(next<double>()); }
void Arguments::read(std::string& value) {
    kind('s');
    std::uint32_t length = 0;
    raw(&length, sizeof length);
    value.resize(length);
    raw(value.data(), length);
}
void Arguments::read(std::vector<std::string>& value) {
    kind('L');
    std::uint32_t count = 0, length = 0;
    raw(&count, sizeof count);
    for (; count > 0; --count) {
        raw(&length, sizeof length);
        value.emplace_back(length, '\0');
        raw(value.back().data(), length);
    }
}
void Arguments::read(std::vector<double>& value) {
    std::vector<int> shape;
    value = array<double>('D', shape);
}
void Arguments::read(std::vector<float>& value) {
    std::vector<int> shape;
    value = array<float>('F', shape);
}
void Arguments::read(std::vector<long>& value) {
    std::vector<int> shape;
    value = array<long>('I', shape);
}
void Arguments::read(std::vector<int>& value) {
    const auto wide = next<std::vector<long>>();
    value.assign(wide.begin(), wide.end());
}
void Arguments::read(Matrix& value) {
    std::vector<int> shape;
    value.numbers = array<double>('D', shape);
    if (shape.size() != 2) throw std::runtime_error("kit: the function takes a matrix, the judge sent another shape");
    value.rows = shape[0];
    value.cols = shape[1];
}
void Arguments::read(Floats& value) { value.numbers = array<float>('F', value.shape); }

void Answer::raw(const void* from, std::size_t count) { bytes.append(static_cast<const char*>(from), count); }
void Answer::array(char kind, const std::vector<int>& shape, const void* numbers, std::size_t size, std::size_t count) {
    const std::uint32_t rank = std::uint32_t(shape.size());
    bytes += kind;
    raw(&rank, sizeof rank);
    std::size_t filled = 1;
    for (const int axis : shape) {
        const std::uint32_t length = std::uint32_t(axis);
        raw(&length, sizeof length);
        filled *= length;
    }
    if (filled != count)
        throw std::runtime_error("the answer has a shape for " + std::to_string(filled) + " numbers, but holds " +
                                 std::to_string(count));
    raw(numbers, size * count);
}
void Answer::write(long value) {
    bytes += 'i';
    raw(&value, sizeof value);
}
void Answer::write(double value) {
    bytes += 'd';
    raw(&value, sizeof value);
}
void Answer::write(const std::string& value) {
    const std::uint32_t length = std::uint32_t(value.size());
    bytes += 's';
    raw(&length, sizeof length);
    bytes += value;
}
void Answer::write(const std::vector<std::string>& value) {
    const std::uint32_t count = std::uint32_t(value.size());
    bytes += 'L';
    raw(&count, sizeof count);
    for (const std::string& word : value) {
        const std::uint32_t length = std::uint32_t(word.size());
        raw(&length, sizeof length);
        bytes += word;
    }
}
void Answer::write(const std::vector<double>& value) { array('D', {int(value.size())}, value.data(), 8, value.size()); }
void Answer::write(const std::vector<float>& value) { array('F', {int(value.size())}, value.data(), 4, value.size()); }
void Answer::write(const std::vector<long>& value) { array('I', {int(value.size())}, value.data(), 8, value.size()); }
void Answer::write(const std::vector<int>& value) { write(std::vector<long>(value.begin(), value.end())); }
void Answer::write(const Matrix& value) {
    array('D', {value.rows, value.cols}, value.numbers.data(), 8, value.numbers.size());
}
void Answer::write(const Floats& value) { array('F', value.shape, value.numbers.data(), 4, value.numbers.size()); }

void progress(double done, double loss) {
    std::fprintf(stderr, "\x1e%.4f %.6g\n", done, loss);  // the judge takes lines with this mark out of the output
}

bool serve(int questions, int answers) {
    std::uint32_t length = 0;
    if (!read_all(questions, &length, sizeof length)) return false;
    std::string frame(length, 0);
    if (!read_all(questions, frame.data(), length)) return false;
    std::uint64_t number = 0;
    std::memcpy(&number, frame.data(), sizeof number);
    std::uint32_t size = 0;
    std::memcpy(&size, frame.data() + sizeof number, sizeof size);
    const std::size_t name = sizeof number + sizeof size, values = name + size + sizeof size;
    Arguments in(frame.substr(values));
    Answer out;
    try {
        const Function* function = Function::find(frame.substr(name, size));
        if (!function) throw std::runtime_error("kit: there is no function " + frame.substr(name, size));
        (*function)(in, out);
        std::fflush(stdout);
        send(answers, number, 0, out.bytes);
    } catch (const std::exception& error) {
        Answer why;
        why.write(std::string(error.what()));
        std::fflush(stdout);
        send(answers, number, 1, why.bytes);
    } catch (...) {
        Answer why;
        why.write(std::string("an object that is not a std::exception"));
        send(answers, number, 1, why.bytes);
    }
    return true;
}

}  // namespace kit
