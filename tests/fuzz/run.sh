#!/usr/bin/env bash
# Fuzzing.
#   tests/fuzz/run.sh TARGET SECONDS   runs build/fuzz/fuzz-TARGET (`make fuzz`); fails when it finds
#                                      something, which is then in build/fuzz/TARGET/found
#   tests/fuzz/run.sh                  gives what was found before (tests/fuzz/TARGET) to the programs: a
#                                      suite of run-all.sh. replay.c gives it to the target itself.
set -u
cd "$(dirname "$0")/../.." || exit 2
export LC_ALL=C

# Opcodes, attributes, types and words: the second or third column of the tables.
dictionary() {
    sed -n 's/^HLO_[A-Z]*([^"]*"\([^"\\]*\)".*/"\1"/p' \
        src/ir/ops.def src/ir/attrs.def src/ir/types.def src/ir/words.def | sort -u | grep -v '^""$'
    sed -n 's/^HLO_ATTR([^"]*"\([^"]*\)".*/"\1="/p' src/ir/attrs.def | sort -u
    sed -n 's/^HLO_OLD_[AO][A-Z]*([^"]*"\([^"]*\)".*/"\1"/p' src/legacy/forms.def | sort -u
    printf '"%s"\n' HloModule ENTRY ROOT FileNames FunctionNames FileLocations StackFrames maximal \
        replicated manual unknown unreduced last_tile_dim_replicate shard_as shard_like devices= \
        '<=[' '->' '...' 'nan(0x1)' '-inf' '/*index=5*/' '{1,0:T(8,128)(2,1)S(1)}' 'f32[2,3]{1,0}' \
        'bf01_oi01->bf01' '1x1' '0_0x0_0' 'metadata={op_name=' 'size=' 'stride=' 'pad='
}

# Names of operations and pieces of MLIR.
mlir_words() {
    sed -n 's/^HLO_MLIR_OP([^"]*"\([^"]*\)".*/"\1"/p' src/mlir/ops.def
    printf '"%s"\n' 'tensor<' '->' 'dense<' '<{' '}> ({' 'array<i64: ' '#stablehlo' 'loc(' callsite fused '^bb0(' 'tuple<' \
        '!stablehlo.token' 'memref<' 'complex<f32>' '{-#' dialect_resources dense_resource
}

# The keys of messages in JSON.
field_names() {
    sed -n 's/^HLO_FIELD(.*, "\([^"]*\)").*/"\\"\1\\":"/p' src/proto/fields.def | sort -u
}

# Small texts of every kind make better seeds than large ones; the target proto takes them as messages,
# the target mlir has its own.
seeds() {
    local target=$1 directory=$2 file name form
    mkdir -p "$directory"
    if [ "$target" = mlir ]; then
        cp tests/mlir/bytecode/*.bc tests/mlir/bytecode/*.mlir tests/fuzz/mlir/* "$directory"
        tar -xzf tests/stablehlo/expand.tar.gz -C "$directory" --wildcards '*.mlir'
        return
    fi
    find tests/parse/printing build/cases/verify tests/dynamic tests/passes/rewrites tests/fuzz tests/dialects -name '*.hlo' -size -8k |
        while read -r file; do
            name=$directory/$(printf '%s' "$file" | tr / _)
            if [ "$target" != proto ]; then
                cp "$file" "$name"
                continue
            fi
            for form in json proto pbtxt; do
                build/bin/hlo-opt --emit=$form -o "$name.$form" "$file" 2>/dev/null
            done
        done
    if [ "$target" = run ]; then
        for file in tests/golden/ops/*.tar.gz; do
            tar -xzf "$file" -C "$directory" --wildcards --transform 's|/|_|g' '*/module.hlo'
        done
        find "$directory" -type f -size +8k -delete
    fi
    [ ! -d "tests/fuzz/$target" ] || cp tests/fuzz/"$target"/* "$directory"
}

# Every seed once, then mutations for SECONDS, of as many seeds as are read in a quarter of that time: the passes take
# minutes for all seeds, which left no time for mutations.
fuzz() {
    local target=$1 seconds=$2 work=build/fuzz/$1 start count status
    local program=("build/fuzz/fuzz-$target" -timeout=20 -rss_limit_mb=2048 -max_len=16384 "-artifact_prefix=$work/found/")
    mkdir -p "$work/corpus" "$work/found"
    { dictionary; [ "$target" != proto ] || field_names; [ "$target" != mlir ] || mlir_words; } >"$work/dictionary"
    seeds "$target" "$work/seeds"
    count=$(find "$work/seeds" -type f | wc -l)
    echo "fuzzing $target for $seconds s: $count seeds, $(wc -l <"$work/dictionary") words"
    start=$SECONDS
    "${program[@]}" -runs=0 "$work/seeds" >"$work/log" 2>&1
    status=$?
    if [ $status = 0 ]; then
        count=$((1 + count * seconds / 4 / (SECONDS - start + 1)))
        find "$work/seeds" -type f | shuf -n "$count" | paste -sd, >"$work/sample"
        "${program[@]}" -max_total_time="$seconds" -dict="$work/dictionary" -print_final_stats=1 \
            -seed_inputs="@$work/sample" "$work/corpus" >"$work/log" 2>&1
        status=$?
    fi
    grep -E '^stat::|^Done|SUMMARY' "$work/log"
    if [ $status != 0 ]; then
        tail -n 40 "$work/log"
        ls "$work/found"
    fi
    return $status
}

# A finding must be read or refused, by every program that reads text.
replay() {
    local bin=${HLO_BIN:-build/bin} passed=0 failed=0 file program status
    for file in tests/fuzz/*/*; do
        [ -f "$file" ] || continue
        for program in "hlo-opt --passes=" hlo-verify hlo-dot; do
            # shellcheck disable=SC2086 # the program's own words
            (ulimit -t 60; exec "$bin"/$program "$file") >/dev/null 2>&1
            status=$?
            if [ $status -le 1 ]; then
                passed=$((passed + 1))
            else
                failed=$((failed + 1))
                echo "$program $file: status $status"
            fi
        done
    done
    echo "$passed passed, $failed failed, 0 skipped"
    [ $failed = 0 ]
}

if [ $# = 0 ]; then replay; else fuzz "$1" "${2:-60}"; fi
