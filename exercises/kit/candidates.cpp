// The program of the candidates: the judge chooses a candidate, and the student's test calls it through a pipe. The test cannot
// see which candidate it calls, because it shares no memory with this program.
#include "candidates.hpp"

#include <poll.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

// The judge's choice, as a frame: its length, the number; the same frame confirms the choice. In a debugger no judge reads it.
bool choose_one(int questions, int answers) {
    std::uint32_t length_and_number[2]{};
    if (!kit::read_all(questions, length_and_number, sizeof length_and_number)) return false;
    kit::choose(int(length_and_number[1]));
    std::string chosen(sizeof length_and_number, 0);
    std::memcpy(chosen.data(), length_and_number, sizeof length_and_number);
    (void)kit::write_all(answers, chosen);
    return true;
}

}  // namespace

int main() {
    constexpr int answers = 3;
    const char* link = std::getenv("RECTO_LINK");  // the file descriptor of the line to the student's program
    pollfd events[] = {{STDIN_FILENO, POLLIN, 0}, {link ? std::atoi(link) : -1, POLLIN, 0}};
    while (poll(events, 2, -1) > 0) {
        if (events[0].revents) {
            if (!choose_one(STDIN_FILENO, answers)) return 0;
        } else if (!kit::serve(events[1].fd, events[1].fd)) {
            events[1].fd = -1;  // the student's program has ended
        }
    }
}
