#!/bin/sh
# exact.sh PROGRAM: a test program's exact tests, with the kernels that RECTO_CPU and OPENBLAS_CORETYPE ask for.
# Exit 77, which CTest takes for skipped, where the processor lacks their instructions: OpenBLAS would not look.
need="avx2 fma"
[ "$OPENBLAS_CORETYPE" = SkylakeX ] && need="$need avx512f avx512vl avx512bw avx512dq"
for instructions in $need; do
  grep -qw "^flags.*$instructions" /proc/cpuinfo || { echo "the processor has no $instructions"; exit 77; }
done
exec "$1" "[exact]" --warn NoAssertions
