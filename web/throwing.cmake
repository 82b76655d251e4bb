# `throw` and `catch`, which ziglang leaves out of C++ for WebAssembly, built from the sources that it brings along.
get_filename_component(zig ${RECTO_ZIG} DIRECTORY)
set(zig ${zig}/lib)
set(abi ${zig}/libcxxabi)
add_library(throwing OBJECT ${abi}/src/cxa_exception.cpp ${abi}/src/cxa_personality.cpp
  ${zig}/libunwind/src/Unwind-wasm.c library/throwing.c)
target_include_directories(throwing PRIVATE ${abi}/include ${abi}/src ${zig}/libcxx/src ${zig}/libunwind/include)
target_compile_definitions(throwing PRIVATE _LIBCXXABI_BUILDING_LIBRARY _LIBCPP_BUILDING_LIBRARY
  LIBCXX_BUILDING_LIBCXXABI _LIBCXXABI_HAS_NO_THREADS LIBCXXABI_NON_DEMANGLING_TERMINATE _LIBUNWIND_HIDE_SYMBOLS)
set_target_properties(throwing PROPERTIES CXX_STANDARD 23)
target_compile_options(throwing PRIVATE -w)
