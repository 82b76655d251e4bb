// planted [NAME]: runs one planted mistake, or lists their names. Exit 0: nothing was noticed; 1: a message.
#include <cstdio>
#include <cstring>
#include <exception>

#include "planted.hpp"

int main(int count, char** arguments) {
    for (const Planted& one : planted()) {
        if (count < 2) std::puts(one.name);
        if (count < 2 || std::strcmp(arguments[1], one.name) != 0) continue;
        try {
            one.run();
        } catch (const std::exception& mistake) {
            std::fprintf(stderr, "%s\n", mistake.what());
            return 1;
        }
    }
}
