#pragma once
// For exercises in which the student writes a test. The candidates run in a separate program (candidates.hpp): this program can
// call it through a pipe, but cannot read its memory. The driver passes such calls to the test as functions. Everything is in an
// anonymous namespace, so no other file of the program can name it.
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "driver.hpp"

namespace kit {
namespace {

bool threw = false;  // whether the candidate threw, which is not a fault of the test

// Takes a number of type T from the front of some bytes.
template <class T>
T take(std::string& bytes) {
    T value{};
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes.erase(0, sizeof value);
    return value;
}

// One question to the candidate's program (tools/recto/judge/frames.py): the bytes of its answer. Without an answer this
// program ends: the judge reports why.
std::string exchange(const std::string& question) {
    static const int link = std::atoi(std::getenv("RECTO_LINK"));
    std::signal(SIGPIPE, SIG_IGN);  // a write to a closed pipe then returns an error
    std::uint32_t length = std::uint32_t(question.size());
    std::string frame(sizeof length, 0);
    std::memcpy(frame.data(), &length, sizeof length);
    if (!write_all(link, frame + question) || !read_all(link, &length, sizeof length)) _exit(4);
    std::string answer(length, 0);
    if (!read_all(link, answer.data(), length)) _exit(4);
    return answer;
}

// Calls a function of the candidate and returns its answer. An exception of the candidate is rethrown here.
template <class... A>
Arguments candidate(const std::string& function, const A&... arguments) {
    Answer question;
    question.bytes.assign(sizeof(std::uint64_t), 0);  // the number of the question: there is one at a time
    question.write(function);
    question.bytes.erase(sizeof(std::uint64_t), 1);  // a name has no kind
    const std::uint32_t count = sizeof...(A);
    question.bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
    (question.write(arguments), ...);
    std::string answer = exchange(question.bytes);
    take<std::uint64_t>(answer);
    if (take<char>(answer) == 0) return Arguments(std::move(answer));
    threw = true;
    throw std::invalid_argument(Arguments(std::move(answer)).next<std::string>());
}

// The verdict of a test. An exception of a candidate that the test does not catch counts as false.
template <class F>
bool verdict(F test) {
    threw = false;
    try {
        return test();
    } catch (...) {
        if (!threw) throw;
        return false;
    }
}

}  // namespace
}  // namespace kit
