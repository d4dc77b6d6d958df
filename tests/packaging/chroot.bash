# A fresh Debian 12 in a folder, with the package sources of this machine. Sourced by tests/fresh-root.sh and check-deb.sh.
# Needs root and debootstrap. HLO_MIRROR names another Debian mirror.

unmount_chroot() {
    if mountpoint -q "$1/proc"; then umount "$1/proc"; fi
}

# make_chroot FOLDER [PACKAGE,...]: replaces one that an earlier run made; /proc is there until the script ends.
make_chroot() {
    local root=$1 path
    [ "$(id -u)" = 0 ] || { echo "${0##*/}: this needs root" >&2; exit 3; }
    # shellcheck disable=SC2064 # the folder of this call
    trap "unmount_chroot '$root'" EXIT
    unmount_chroot "$root"
    if [ -e "$root" ]; then
        [ -e "$root/.made-by-fresh-root" ] || { echo "${0##*/}: $root is in the way" >&2; exit 2; }
        rm -rf --one-file-system "$root"
    fi
    debootstrap --variant=minbase --include="$2" bookworm "$root" "${HLO_MIRROR:-http://deb.debian.org/debian}"
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
}

# in_chroot FOLDER COMMAND...: with a plain environment; proxies are part of how this machine reaches its package sources.
in_chroot() {
    local root=$1
    shift
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        chroot "$root" "$@"
}
