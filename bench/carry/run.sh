#!/bin/sh
# Measures this machine's GPU: parity, every workload, what the device could do at most, and PyTorch beside it where it is.
# usage: run.sh [FOLDER]    what was measured goes there (default: $OUT, else ./measured)
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
out=${1:-${OUT:-measured}}
mkdir -p "$out" || exit 1
export PYTHONDONTWRITEBYTECODE=1
# cuBLAS is not carried: it is the machine's own, from its toolkit or from the wheels that PyTorch brought.
for folder in /usr/local/cuda/lib64 /usr/local/cuda/lib /usr/local/cuda/targets/*/lib \
    $(python3 -c 'import sys; print(*(p + "/nvidia/cu13/lib" for p in sys.path if p))' 2>/dev/null); do
    [ -e "$folder/libcublas.so.13" ] && LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder
done
export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}"
failed=0

note() { echo "== $*"; }
note machine
nvidia-smi >"$out/machine.txt" 2>&1 || { cat "$out/machine.txt"; echo "run.sh: there is no usable GPU here" >&2; exit 1; }

note parity
"$here/recto_parity" --json "$out/parity.json" >"$out/parity.txt" || failed=1
tail -n 1 "$out/parity.txt"

note "what the device could do at most"
{ "$here/recto_bench" --device cuda --machine && "$here/recto_bench" --device cuda --limits; } >"$out/bench.jsonl" || failed=1
cat "$out/bench.jsonl"
note "the kernel ladders"
"$here/recto_ladder" >"$out/ladder.json" || failed=1
: >"$out/peers.jsonl"
for round in 1 2; do        # turn about, so that a warm or a cold minute serves both
    note "round $round: Recto"
    for workload in $("$here/recto_bench" --list); do
        "$here/recto_bench" --device cuda --seconds 2 "$workload" >>"$out/bench.jsonl" || failed=1
        case $workload in
            *infer* | *decode* | tiny_scalar* | checkpoint*) ;;      # nothing is trained
            *) "$here/recto_bench" --device cuda --seconds 2 --captured "$workload" >>"$out/bench.jsonl" || failed=1 ;;
        esac
    done
    note "round $round: PyTorch"
    if python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null; then
        python3 "$here/peers.py" --device cuda --seconds 2 >>"$out/peers.jsonl" || failed=1
    else
        echo "not run: there is no PyTorch here that sees the GPU"
    fi
done
note "measured in $out"
exit $failed
