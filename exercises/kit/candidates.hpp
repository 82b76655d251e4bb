#pragma once
// For the program of the candidates, on which the judge tries a student's test: it runs beside the student's program. Like a
// driver (driver.hpp) it names functions; each of them calls the candidate chosen last.
#include "driver.hpp"

namespace kit {

// Selects the candidate of this number and resets its state; defined beside the candidates.
void choose(int number);

}  // namespace kit
