#!/usr/bin/env bash
# More mutants than `make test` takes (tests/unit/mutate.c): several seeds, and under the sanitizers.
#   tests/mutate.sh BUILD [MUTANTS-PER-FILE [SEEDS]]      BUILD: build, build/asan ...
set -eu
cd "$(dirname "$0")/.."
build=${1:?usage: tests/mutate.sh BUILD [MUTANTS-PER-FILE [SEEDS]]}
make -s "$build/tests/mutate"
for seed in $(seq "${3:-4}"); do
    "$build/tests/mutate" --seed="$seed" --count="${2:-50}"
done
