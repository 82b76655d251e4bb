#!/usr/bin/env bash
# Fuzzes the readers of files from strangers for SECONDS in all (60): tests/fuzz/run.sh [SECONDS]
# Finds are kept in build/fuzz/NAME-*; the corpus grown so far in build/fuzz/corpus. Last line: N passed, N failed, N
# skipped. Without clang or its fuzzer it says so, and nothing failed.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
seconds=${1:-60} home=build/fuzz targets=(idx safetensors gguf byte_pairs gpt2_files)
mkdir -p "$home"

if ! command -v clang++ >/dev/null; then
  echo "not run: clang++ is not installed"; echo "0 passed, 0 failed, ${#targets[@]} skipped"; exit 0
fi
if ! echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++ -fsanitize=fuzzer,address -x c++ - -o "$home/probe" 2>/dev/null; then
  echo "not run: clang++ has no fuzzer runtime (package libclang-rt-dev)"; echo "0 passed, 0 failed, ${#targets[@]} skipped"; exit 0
fi

# The readers and what they stand on, each compiled once; nothing of it multiplies matrices.
parts=(base/check device/device base/shape device/cpu_class device/threads device/fault device/block_cache
  device/cuda/absent device/recording device/draws base/flops device/storage core/tensor core/quantized_tensor core/integers
  base/float_formats autograd/tape autograd/sweep autograd/profile io/utf8 io/plain_text io/json_string io/input_file io/atomic_file
  io/safetensors io/gguf io/parameters io/byte_source data/idx text/tokenizer text/pieces text/byte_pairs text/byte_pair_file text/gpt2_files)
sources=("${parts[@]/#/lib/recto/}" "${targets[@]/#/tests/fuzz/}")
flags=(-std=c++20 -O1 -g1 -Ilib -ffp-contract=off -fopenmp-simd -Wno-pass-failed -fno-sanitize-recover=all)
flags+=("-fsanitize=fuzzer-no-link,address,undefined")
build() {  # build SOURCE: an object in build/fuzz, unless it is newer than every source
  local object=$home/${1//\//-}.o
  [ -e "$object" ] && [ -z "$(find lib tests/fuzz -name '*.[ch]pp' -newer "$object" -print -quit)" ] && return 0
  $(command -v ccache) clang++ "${flags[@]}" -c "$1.cpp" -o "$object"
}
export -f build
export home flags_text="${flags[*]}"
# shellcheck disable=SC2016
printf '%s\n' "${sources[@]}" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'read -ra flags <<<"$flags_text"; build {}' || exit 1
objects=()
for part in "${parts[@]}"; do objects+=("$home/lib-recto-${part//\//-}.o"); done
for name in "${targets[@]}"; do
  clang++ -fsanitize=fuzzer,address,undefined "$home/tests-fuzz-$name.o" "${objects[@]}" -lfmt -lz -lpthread \
    -o "$home/$name" || exit 1
done

fuzz() {  # fuzz NAME: for its part of the time
  local name=$1
  mkdir -p "$home/corpus/$name"
  if "$home/$name" "$home/corpus/$name" "tests/fuzz/seeds/$name" -max_total_time="$share" -max_len=4096 -timeout=10 \
      -rss_limit_mb=1024 -malloc_limit_mb=256 -artifact_prefix="$home/$name-" -print_final_stats=1 >"$home/$name.log" 2>&1; then
    echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$home/$name.log") inputs, nothing found"
  else
    tail -n 30 "$home/$name.log"
    echo "$name: failed; the input is kept in $home/"
    return 1
  fi
}
export -f fuzz
export share=$((seconds / ${#targets[@]}))
said=$(printf '%s\n' "${targets[@]}" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'fuzz {}')
echo "$said"
passed=$(grep -c ', nothing found$' <<<"$said")
failed=$((${#targets[@]} - passed))
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
