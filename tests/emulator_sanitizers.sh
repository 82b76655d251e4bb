#!/usr/bin/env bash
# Which tool finds which planted mistake (tests/kernels/planted.cpp): the emulator, AddressSanitizer and ThreadSanitizer
# on the kernels as they run on the emulator, and compute-sanitizer on a GPU where there is one.
#
#   tests/emulator_sanitizers.sh           compares with tests/kernels/agreement.txt, exit 1 when something differs
#   tests/emulator_sanitizers.sh --write   writes that file
#
# Needs g++ and fmt; for the last columns nvcc, compute-sanitizer and a GPU, else they say "not run" (and are not compared).
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
emulator=lib/recto/emulator

build() {  # build NAME "FLAGS OF THE EMULATOR" "FLAGS OF THE KERNELS" LINK...
  local name=$1 of_emulator=$2 of_kernels=$3 file; shift 3
  mkdir "$work/$name"
  for file in "$emulator"/*.cpp; do
    case $file in *.test.cpp) continue ;; esac
    # shellcheck disable=SC2086
    ${CXX:-g++} -std=c++20 -O1 -g1 -Ilib $of_emulator -c "$file" -o "$work/$name/$(basename "$file").o"
  done
  [ "$name" = emulator ] || rm "$work/$name/hooks.cpp.o"  # the sanitizer brings its own
  # shellcheck disable=SC2086
  ${CXX:-g++} -std=c++20 -O1 -g1 -gdwarf-4 -Ilib $of_kernels -c tests/kernels/planted.cpp -o "$work/$name/planted.o"
  ${CXX:-g++} -std=c++20 -O1 -c tests/kernels/main.cpp -o "$work/$name/main.o"
  ${CXX:-g++} "$@" "$work/$name"/*.o -lfmt -o "$work/$name/planted"
}
build emulator "" "-DRECTO_CUDA_ON_CPU -fsanitize=thread,bounds -fsanitize-coverage=trace-pc -fno-tree-sra"
build address "-fsanitize=address" "-fsanitize=address" -fsanitize=address
build thread "-DRECTO_THREAD_SANITIZER" "-fsanitize=thread" -fsanitize=thread

gpu="not run"
if command -v nvcc >/dev/null && command -v compute-sanitizer >/dev/null && nvidia-smi -L >/dev/null 2>&1; then
  gpu=run
  nvcc -std=c++20 -arch=native -lineinfo -Ilib -x cu tests/kernels/planted.cpp tests/kernels/main.cpp -o "$work/gpu"
fi

said() {  # said NAME MISTAKE: what the tool says. Only the emulator ends an endless loop.
  local text limit=60
  [ "$2" = endless_loop ] && [ "$1" != emulator ] && limit=2
  text=$(TSAN_OPTIONS=symbolize=0 ASAN_OPTIONS=symbolize=0 timeout "$limit" "$work/$1/planted" "$2" 2>&1 || true)
  case $text in
    "") echo - ;;
    *Sanitizer:DEADLYSIGNAL*) echo crash ;;
    *"ERROR: AddressSanitizer"* | *"ThreadSanitizer: data race"*) echo yes ;;
    *) [ "$1" = emulator ] && echo yes || echo itself ;;
  esac
}
on_gpu() {  # the tools of compute-sanitizer that say something
  local tool found=""
  [ "$gpu" = run ] || { echo "not run"; return; }
  for tool in memcheck initcheck racecheck synccheck; do
    timeout 60 compute-sanitizer --tool "$tool" --error-exitcode 99 "$work/gpu" "$1" >"$work/log" 2>&1 || true
    grep -qE "ERROR SUMMARY: [1-9]|RACECHECK SUMMARY: [1-9]" "$work/log" && found+="$tool "
  done
  echo "${found:--}"
}

table() {
  cat <<'END'
Which tool says something about which planted mistake (tests/kernels/planted.cpp), by tests/emulator_sanitizers.sh.
"itself": not the sanitizer, but the emulator under it, which sees launches, barriers and shuffles there too.
"crash": an address that does not exist, which a program without any tool would notice as well.

mistake                           emulator  address  thread  compute-sanitizer
END
  local name
  for name in $("$work/emulator/planted"); do
    printf '%-33s %-9s %-8s %-7s %s\n' "$name" "$(said emulator "$name")" "$(said address "$name")" \
      "$(said thread "$name")" "$(on_gpu "$name")"
  done
}
table >"$work/table"
cat "$work/table"
if [ "${1:-}" = --write ]; then cp "$work/table" tests/kernels/agreement.txt; exit; fi
[ "$gpu" = run ] || echo "compute-sanitizer: not run, for there is no GPU with nvcc and compute-sanitizer here"
without_gpu() { cut -c1-58 "$1"; }
diff <(without_gpu tests/kernels/agreement.txt) <(without_gpu "$work/table")
