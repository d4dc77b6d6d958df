#!/usr/bin/env bash
# Runs five programs on one real module and explains what they print.
#
#   examples/demo.sh BIN OUT     BIN: where the programs are; OUT: where the results go
#
# Called by `make demo`.
set -euo pipefail
bin=${1:?usage: examples/demo.sh BIN OUT}
out=${2:?usage: examples/demo.sh BIN OUT}
module=$(dirname "$0")/gpt-train-step.hlo
mkdir -p "$out"

say() { printf '\n%s\n' "$*"; }
show() {
    printf '    $ %s\n' "$*"
    "$@" | sed 's/^/    /'
}

say "The module: one training step of a small GPT (two causal blocks, cross entropy, gradients, SGD)," \
    "as JAX hands it to XLA."
printf '    %s: %s bytes, %s lines\n' "$module" "$(wc -c <"$module")" "$(wc -l <"$module")"

say "1. hlo-verify parses it, infers every shape and checks every constraint; -v sums up:"
show "$bin/hlo-verify" -v "$module"

say "2. Errors have a line, a column and a caret. The same module with one dimension changed:"
sed '0,/broadcast(%iota.4), dimensions={0}/s//broadcast(%iota.4), dimensions={2}/' "$module" \
    >"$out/broken.hlo"
printf '    $ %s\n' "$bin/hlo-verify $out/broken.hlo"
status=0
"$bin/hlo-verify" --color=never "$out/broken.hlo" 2>&1 | sed 's/^/    /' || status=$?
[ "$status" = 1 ] || { echo "hlo-verify ended with status $status instead of 1" >&2; exit 1; }

say "3. hlo-opt simplifies the module and prints it as XLA would; without metadata and" \
    "operand shapes that is easy to read:"
"$bin/hlo-opt" --passes=dce -o "$out/small.hlo" "$module"
printf '    $ %s\n' "$bin/hlo-opt --passes=dce -o $out/small.hlo $module"
"$bin/hlo-opt" --print=short --no-metadata "$out/small.hlo" | sed -n '/^ENTRY/,$p' | sed -n 1,8p |
    cut -c 1-98 | sed 's/^/    /'

say "4. hlo-run executes it. The module has no weights, so --inputs=hash generates them, the same on" \
    "every machine. All at once, through pipes:"
printf '    $ %s\n' "$bin/hlo-opt --passes=dce --literals=exact $module | $bin/hlo-run - --inputs=hash --output-dir $out/results"
"$bin/hlo-opt" --passes=dce --literals=exact "$module" | "$bin/hlo-run" - --inputs=hash --output-dir "$out/results"
printf '    %s results in %s: loss and updated weights, each a NumPy file\n' \
    "$(find "$out/results" -name 'out*.npy' | wc -l)" "$out/results"
printf '    $ %s\n' "$bin/hlo-run --inputs=hash --print-limit=8 $module"
"$bin/hlo-run" --inputs=hash --print-limit=8 "$module" >"$out/result.txt"
printf '    (a tuple of 23 arrays; its first element is the loss: %s)\n' \
    "$(sed -E 's/.*\) \( ([^,]*),.*/\1/' "$out/result.txt")"

say "5. hlo-dot draws. The whole module as Graphviz text takes a moment; Graphviz itself needs minutes to lay" \
    "out a graph of this size, so the picture shows one computation, the log-softmax of the loss:"
"$bin/hlo-opt" --passes=dce "$module" | "$bin/hlo-dot" -o "$out/graph.dot"
printf '    $ %s\n' "$bin/hlo-opt --passes=dce $module | $bin/hlo-dot -o $out/graph.dot"
printf '    %s: %s lines of Graphviz text\n' "$out/graph.dot" "$(wc -l <"$out/graph.dot")"
"$bin/hlo-dot" -T svg --legend --computation=log_softmax.17 -o "$out/loss.svg" "$out/small.hlo"
printf '    $ %s\n' "$bin/hlo-dot -T svg --legend --computation=log_softmax.17 -o $out/loss.svg $out/small.hlo"
printf '    %s: %s bytes; open it in a browser\n' "$out/loss.svg" "$(wc -c <"$out/loss.svg")"

say "6. hlo-stat counts what a step costs, and bounds its time by the peak figures of a device:"
"$bin/hlo-stat" --peak-flops=989T --peak-bandwidth=3.35T --show=summary,operations --top=3 "$module" | sed 's/^/    /'
printf '    $ %s\n' "$bin/hlo-stat --peak-flops=989T --peak-bandwidth=3.35T --show=summary,operations --top=3 $module"
