#pragma once
// The body of a stub until the student has written the function.
#include <stdexcept>
#include <string>

// Ends the call: the judge then says that this function is still to be written.
[[noreturn]] inline void not_written(const char* function) {
    throw std::logic_error(std::string("not written yet: ") + function);
}
