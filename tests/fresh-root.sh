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
mirror=${HLO_MIRROR:-http://deb.debian.org/debian}

[ "$(id -u)" = 0 ] || { echo "fresh-root: this needs root" >&2; exit 3; }
unmount() { mountpoint -q "$root/proc" && umount "$root/proc"; return 0; }
trap unmount EXIT
unmount
if [ -e "$root" ]; then
    [ -e "$root/.made-by-fresh-root" ] || { echo "fresh-root: $root is in the way" >&2; exit 2; }
    rm -rf --one-file-system "$root"
fi

debootstrap --variant=minbase --include=make,git,ca-certificates bookworm "$root" "$mirror"
touch "$root/.made-by-fresh-root"
# The machine's package sources: mirrors, keys, proxies.
rm -f "$root/etc/apt/sources.list"
for path in sources.list sources.list.d apt.conf apt.conf.d auth.conf.d trusted.gpg.d keyrings; do
    if [ -e "/etc/apt/$path" ]; then
        rm -rf "${root:?}/etc/apt/$path"
        cp -a "/etc/apt/$path" "$root/etc/apt/$path"
    fi
done
cp -a /usr/share/keyrings/. "$root/usr/share/keyrings/"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
mount -t proc proc "$root/proc"

if [ $take = clone ]; then
    git clone -q "$repository" "$root/hlo"
else
    mkdir "$root/hlo"
    git -C "$repository" ls-files -coz --exclude-standard |
        tar -C "$repository" --null --ignore-failed-read -T - -cf - | tar -C "$root/hlo" -xf -
fi

inside() {
    # Proxies are part of how this machine reaches its package sources.
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        chroot "$root" sh -c "cd /hlo && $1"
}
for tool in gcc cc re2c bison bats dot; do
    if inside "command -v $tool" >/dev/null; then
        echo "fresh-root: $tool is there already, so this proves nothing" >&2
        exit 1
    fi
done
time inside "make -j$(nproc) demo"
time inside "make -j$(nproc) test"
