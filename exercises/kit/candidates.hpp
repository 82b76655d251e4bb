#pragma once
// For what a student's test is tried on: a program that the judge keeps, and that runs beside the student's. It names the
// functions of its candidates as a driver does (driver.hpp), each of which calls the candidate chosen last.
#include "driver.hpp"

namespace kit {

// From now on the candidate of this number is called, as if for the first time: written beside the candidates.
void choose(int number);

}  // namespace kit
