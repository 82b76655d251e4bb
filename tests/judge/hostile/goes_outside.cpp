// outcome: passed
// says: ^$
// A server of this machine, the world, sockets by path and by name.
#include "twice.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

static bool reached(const char* address, int port) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(std::uint16_t(port));
    inet_pton(AF_INET, address, &to.sin_addr);
    const int line = socket(AF_INET, SOCK_STREAM, 0);
    const bool there = connect(line, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
    close(line);
    return there;
}
static bool reached(const char* path, bool by_name) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    std::strncpy(to.sun_path + by_name, path, sizeof to.sun_path - 2);
    const int line = socket(AF_UNIX, SOCK_STREAM, 0);
    const socklen_t length = socklen_t(offsetof(sockaddr_un, sun_path) + by_name + std::strlen(path));
    const bool there = connect(line, reinterpret_cast<const sockaddr*>(&to), length) == 0;
    close(line);
    return there;
}

int twice(int x) {
    const bool out = reached("127.0.0.1", std::atoi("@PORT@")) || reached("@ADDRESS@", std::atoi("@PORT@")) ||
                     reached("1.1.1.1", 53) || reached("@SOCKET@", false) || reached("@NAME@", true);
    return out ? 0 : 2 * x;
}
