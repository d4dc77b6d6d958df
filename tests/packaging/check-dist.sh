#!/usr/bin/env bash
# Unpacks the release tarball and builds it without re2c, Bison and git: runs the demo, some
# suites, and makes the tarball again, which must be the same bytes.
#
#   tests/packaging/check-dist.sh TARBALL
#
# Called by `make check-dist`. CC is the compiler (gcc).
set -euo pipefail
export LC_ALL=C

tarball=$(realpath "${1:?usage: tests/packaging/check-dist.sh TARBALL}")
name=$(basename "$tarball" .tar.gz)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# All commands of PATH but these.
mkdir "$work/bin"
IFS=: read -ra folders <<<"$PATH"
for folder in "${folders[@]}"; do
    find "$folder" -maxdepth 1 -mindepth 1 ! -name re2c ! -name bison ! -name yacc ! -name git \
        -exec ln -st "$work/bin" {} + 2>/dev/null || true # the first of a name stays
done
export PATH=$work/bin
for tool in re2c bison yacc git; do
    if command -v "$tool"; then echo "check-dist: $tool is still there" >&2; exit 1; fi
done

tar -xzf "$tarball" -C "$work"
cd "$work/$name"
build() { make -j"$(nproc)" CC="${CC:-gcc}" "$@"; }

build demo >"$work/log" || { tail -n 30 "$work/log"; exit 1; }
grep -q 'log-softmax' "$work/log" || { echo "check-dist: the demo printed nothing"; exit 1; }
examples=$(basename -s .c examples/*.c)
# shellcheck disable=SC2046,SC2086 # several names
build $(printf 'build/examples/%s ' $examples) build/tests/api >>"$work/log"
tests/run-all.sh build tests/api cli.bats examples.bats printing.bats verify.bats

build dist >>"$work/log"
cmp "$tarball" "build/dist/$name.tar.gz"

# A changed grammar is an error: tools are missing.
touch -d '+1 hour' grammar/hlo.y
if build build/gen/hlo_grammar.c >>"$work/log" 2>&1; then
    echo "check-dist: a changed grammar is not translated again" >&2
    exit 1
fi
echo "$name: built without re2c, Bison and git"
