# How a target of this project is compiled.
find_package(fmt REQUIRED)
find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)

set(RECTO_FMT fmt::fmt)
if(RECTO_PORTABLE)  # the distribution has fmt as a shared library or as headers
  set(RECTO_FMT fmt::fmt-header-only)
  add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:-diag-suppress=20208>)  # of fmt's long double, which no kernel uses
  add_link_options(-static-libstdc++ -static-libgcc -Wl,--as-needed)
endif()

if(RECTO_BLAS)
  find_package(xtensor REQUIRED)
  find_package(xtensor-blas REQUIRED)
  # One flavour of OpenBLAS, by path: the alternatives system decides what plain -lopenblas means. It is the
  # pthread one, told to stay on one thread (linalg/blas.hpp): the serial one may not be called by two threads at once.
  find_library(RECTO_OPENBLAS NAMES libopenblas.so PATH_SUFFIXES openblas-pthread REQUIRED NO_CACHE
               PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} NO_DEFAULT_PATH)
  find_path(RECTO_OPENBLAS_INCLUDE cblas.h REQUIRED NO_CACHE PATHS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}
            PATH_SUFFIXES openblas-pthread NO_DEFAULT_PATH)
endif()

find_program(RECTO_CCACHE ccache)
if(RECTO_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${RECTO_CCACHE})
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)  # ccache keeps nothing that is compiled with them
endif()

if(RECTO_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)  # machine code for Turing to Blackwell; the last as PTX for what comes later
    set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 100-real 120)
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
endif()

# Bits do not depend on the compiler's mood: fused multiply-adds only where the source says fma, and the
# permission to reorder a sum only where a loop says so (omp simd).
set(RECTO_NUMERICS -ffp-contract=off -fno-math-errno -fno-trapping-math -fopenmp-simd)

add_library(recto_flags INTERFACE)
target_compile_features(recto_flags INTERFACE cxx_std_20)
target_compile_options(recto_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${RECTO_NUMERICS}>")

# Only for compiling this project, never for those who link it.
add_library(recto_strict INTERFACE)
target_compile_options(recto_strict INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wno-sign-conversion;-Wcomment>"
  # g++ 12 sees overlapping copies in the standard library's own string concatenation (its bug 105651).
  "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>"
  "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:Clang>>:-Wno-pass-failed>"
  "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${RECTO_WERROR}>>:-Werror>"
  # nvcc's front end does not know g++'s `unroll`, but hands it on.
  "$<$<COMPILE_LANGUAGE:CUDA>:-diag-suppress=1675>"
  # A kernel that spills registers says so, which with RECTO_WERROR is an error too.
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=-warn-spills>"
  "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${RECTO_WERROR}>>:-Werror=all-warnings>"
  # nvcc may fuse a multiplication and an addition only in programs of kernels by hand, which ask for it by RECTO_FUSES.
  "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<NOT:$<BOOL:$<TARGET_PROPERTY:RECTO_FUSES>>>>:-fmad=false>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;--expt-relaxed-constexpr;-Xcompiler=-ffp-contract=off,-fno-math-errno,-fno-trapping-math,-fopenmp-simd>")
if(RECTO_SANITIZE)
  # What is tested is optimised. Tests run once; to optimise them takes longer than it saves, and so does UBSan's look at
  # each pointer before its use: AddressSanitizer finds the wild ones.
  set(others $<BOOL:$<TARGET_PROPERTY:RECTO_TESTS_OTHERS>>)
  target_compile_options(recto_strict INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -g1
    $<IF:${others},-O0,-O1> $<${others}:-fno-sanitize=null,alignment,object-size,vptr>)
  target_compile_definitions(recto_strict INTERFACE RECTO_SANITIZED)
  target_link_options(recto_strict INTERFACE -fsanitize=address,undefined)
endif()
