#pragma once
// For exercises in which the student writes a test. The driver of such an exercise includes what the judge keeps, takes
// a candidate by the number in the question, and hands the test one function for all candidates: its address tells
// nothing. All of it is in an anonymous namespace, so no other file of the program can name it.
#include "driver.hpp"

namespace kit {
namespace {

bool threw = false;  // the candidate threw, which is the candidate's fault and not the test's

// Calls a candidate.
template <class F>
auto attempt(F candidate) {
    try {
        return candidate();
    } catch (...) {
        threw = true;
        throw;
    }
}

// The verdict of a test. What a candidate throws is a refusal where the test does not catch it.
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
