#!/usr/bin/env bash
# Proves `make demo` and `make test` on a bare system: makes a fresh Debian 12 in a directory, with nothing but
# make, git and the package sources of this machine, and runs both there.
#
#   tests/fresh-root.sh [--worktree] FOLDER     as root; needs debootstrap
#
# The project is cloned into it; --worktree copies the files as they stand instead, committed or not.
# FOLDER is removed first when an earlier run made it. HLO_MIRROR names another Debian mirror.
set -euo pipefail

take=clone
if [ "${1:-}" = --worktree ]; then
    take=worktree
    shift
fi
root=${1:?usage: tests/fresh-root.sh [--worktree] FOLDER}
repository=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/packaging/chroot.bash
. "$repository/tests/packaging/chroot.bash"

make_chroot "$root" make,git,ca-certificates

if [ $take = clone ]; then
    git clone -q "$repository" "$root/hlo"
else
    mkdir "$root/hlo"
    git -C "$repository" ls-files -coz --exclude-standard |
        tar -C "$repository" --null --ignore-failed-read -T - -cf - | tar -C "$root/hlo" -xf -
fi

inside() { in_chroot "$root" sh -c "cd /hlo && $1"; }
for tool in gcc cc re2c bison bats dot; do
    if inside "command -v $tool" >/dev/null; then
        echo "fresh-root: $tool is there already, so this proves nothing" >&2
        exit 1
    fi
done
time inside "make demo"
time inside "make test"
