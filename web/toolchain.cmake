# A reader's browser: clang, libc++ and a small libc from PyPI's ziglang, which `./recto book` installs into build/venv.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
file(GLOB RECTO_ZIG ${CMAKE_CURRENT_LIST_DIR}/../build/venv/lib/python3*/site-packages/ziglang/zig)
set(CMAKE_C_COMPILER ${CMAKE_CURRENT_LIST_DIR}/clang)
set(CMAKE_CXX_COMPILER ${CMAKE_CURRENT_LIST_DIR}/clang++)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
# Vectors of 128 bits, and exceptions, which clang leaves out for this target unless asked.
set(machine -mcpu=generic+exception_handling+simd128)
add_compile_options(${machine} -fwasm-exceptions -g0)
add_link_options(${machine} -s -Wl,-z,stack-size=1048576)
