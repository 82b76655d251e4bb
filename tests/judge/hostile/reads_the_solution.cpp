// outcome: passed
// says: ^$
// The names between @ are filled in by test_hostile.py.
#include "twice.hpp"

#include <unistd.h>
#include <initializer_list>

int twice(int x) {
    for (const char* path : {"@ROOT@",      "@ROOT@/solutions",
                             "@HERE@",      "@HOME@",
                             "/student",    "/given",
                             "/ours",       "/driver.cpp",
                             "/etc/passwd", "/etc/shadow",
                             "/root",       "/home",
                             "/var",        "/srv",
                             "/run",        "/sys",
                             "/boot",       "/work",
                             "/out",        "/mnt",
                             "/opt"})
        if (access(path, F_OK) == 0) return 0;
    return 2 * x;
}
