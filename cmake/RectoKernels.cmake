# recto_cuda_on_cpu(TARGET FILE...): the files hold CUDA kernels; the target runs them on the emulator.
#
# Compilers report every access to memory (thread), every index of an array (bounds) and every straight piece of code
# (trace-pc) to functions that the emulator defines; the sanitizers' own runtimes are not linked. Line tables in the
# format that the emulator reads. -O1: accesses stay as they are written. A build under AddressSanitizer has no room
# for this: kernels run there, and it sees what it sees.
set(RECTO_KERNEL_OPTIONS -O1 -gdwarf-4 -fsanitize=thread -fsanitize-coverage=trace-pc)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(APPEND RECTO_KERNEL_OPTIONS -fsanitize=array-bounds -gline-tables-only -fno-builtin-memcpy -fno-builtin-memset
    -mllvm -tsan-instrument-read-before-write=1)
else()
  list(APPEND RECTO_KERNEL_OPTIONS -fsanitize=bounds -g1)
endif()
# A pragma for nvcc is no mistake, and a float4 is read as a whole, not as four numbers.
list(APPEND RECTO_KERNEL_OPTIONS -Wno-unknown-pragmas $<$<CXX_COMPILER_ID:GNU>:-fno-tree-sra>)

function(recto_cuda_on_cpu target)
  target_link_libraries(${target} PUBLIC recto_cuda_on_cpu)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)  # it is made with other options
  if(RECTO_SANITIZE)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "-gdwarf-4;-Wno-unknown-pragmas")
  else()
    set_source_files_properties(${ARGN} PROPERTIES
      COMPILE_OPTIONS "${RECTO_KERNEL_OPTIONS}" COMPILE_DEFINITIONS RECTO_CUDA_ON_CPU)
  endif()
endfunction()
