#!/usr/bin/env bash
# Installs the Debian packages in a fresh Debian 12, uses everything that they bring, purges them, and compares: no file
# may be left, none missing.
#
#   tests/packaging/check-deb.sh DEBS [FOLDER]
#
# DEBS is where `make deb` put them; FOLDER is where the Debian goes (a temporary one, removed at the end). As root;
# needs debootstrap, and lintian, which judges the packages before (LINTIAN=: leaves it out). Called by `make check-deb`.
set -euo pipefail
export LC_ALL=C

debs=$(realpath "${1:?usage: tests/packaging/check-deb.sh DEBS [FOLDER]}")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/packaging/chroot.bash
. "$here/chroot.bash"

say() { printf -- '--- %s\n' "$*"; }
inside() { in_chroot "$root" env DEBIAN_FRONTEND=noninteractive "$@"; }
apt() { inside apt-get -qq -o Dpkg::Use-Pty=0 "$@" >"$root/tmp/apt.log" 2>&1 || { cat "$root/tmp/apt.log"; exit 1; }; }
# What packages put into the system, and when they go, take away: not what was cached and logged on the way.
files() {
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./run -o -path ./tmp -o \
        -path ./root -o -path ./debs -o -path ./var/cache -o -path ./var/log -o -path ./var/lib/apt -o \
        -path ./var/lib/dpkg \) -prune -o -print | sort)
}

say "lintian" # they are not uploaded to Debian, where a bug would have asked for them
"${LINTIAN:-lintian}" --allow-root --fail-on=error,warning --suppress-tags=initial-upload-closes-no-bugs "$debs"/*.changes

root=${2:-$(mktemp -d -p "${TMPDIR:-/var/tmp}")}
[ $# -gt 1 ] || touch "$root/.made-by-fresh-root"
say "a fresh Debian in $root"
make_chroot "$root" ca-certificates >"$root.log" 2>&1 || { tail -n 20 "$root.log"; exit 1; }
rm -f "$root.log"
leave() {
    unmount_chroot "$root"
    if [ $# -le 1 ]; then rm -rf --one-file-system "$root"; fi
}
trap 'leave "$@"' EXIT
mkdir "$root/debs"
cp "$debs"/*.deb "$root/debs"
cp "$here/use-packages.sh" "$root/debs"
names=$(cd "$debs" && for deb in *.deb; do dpkg-deb -f "$deb" Package; done | grep -v -e '-dbgsym$')
paths=$(cd "$debs" && for name in $names; do printf '/debs/%s\n' "$name"_*.deb; done)

apt update
# What a user of them has, and all that they depend on, recommended or not: what is new afterwards is theirs.
apt install -y man-db bash-completion gcc libc6-dev pkg-config
# shellcheck disable=SC2086 # several names
needed=$(inside apt-get install -s $paths | awk '/^Inst / { print $2 }' | grep -vxF "$names")
# shellcheck disable=SC2086
apt install -y $needed
files >"$root/debs/before"

say "install" "$(tr '\n' ' ' <<<"$names")"
# shellcheck disable=SC2086
apt install -y $paths
if ! inside dpkg --verify >"$root/tmp/verify" || [ -s "$root/tmp/verify" ]; then cat "$root/tmp/verify"; exit 1; fi
files | comm -13 "$root/debs/before" - >"$root/debs/installed"
wc -l <"$root/debs/installed" | sed 's/$/ files and folders/'

say "use"
inside bash /debs/use-packages.sh

say "remove, and purge"
# shellcheck disable=SC2086
apt remove -y $names
# shellcheck disable=SC2086 # apt does not know what it has removed, when nothing is left to purge
inside dpkg --purge $names >"$root/tmp/apt.log" 2>&1
files | diff "$root/debs/before" - || { echo "check-deb: these are left, or missing" >&2; exit 1; }
# shellcheck disable=SC2016 # dpkg's variables
left=$(inside dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' | grep -wF "$names" || true)
[ -z "$left" ] || { echo "check-deb: dpkg still knows $left" >&2; exit 1; }
[ -z "$(inside dpkg --audit)" ]

echo "$(wc -w <<<"$names") packages: installed, used, purged; nothing is left"
