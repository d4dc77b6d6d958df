# What users and packagers get: make install and uninstall, pkg-config, versions, the release tarball, and whether what
# packages are made of agrees with the Makefile. `make check-dist` and `make check-deb` build and install them.

load ../lib

setup() {
    [ "$(basename "${HLO_BUILD:=$HLO_ROOT/build}")" = build ] || skip "the plain build only"
    cd "$BATS_TEST_TMPDIR"
    root="$BATS_TEST_TMPDIR/a root"
}

make_in_root() { make -s -C "$HLO_ROOT" "$@" >make.out 2>&1 || fail "$(cat make.out)"; }

# use_installed: $root is what tests share that only read it, installed below /opt/hlo by the first of them.
use_installed() {
    root=$BATS_FILE_TMPDIR/root
    [ -d "$root" ] || make_in_root install DESTDIR="$root" PREFIX=/opt/hlo LIBDIR=/opt/hlo/lib/here
}

# setting NAME: of the Makefile, which is read once for each source tree.
setting() {
    local name kept=$BATS_FILE_TMPDIR/settings/${HLO_ROOT//\//%}
    if [ ! -d "$kept" ]; then
        mkdir -p "$kept"
        {
            printf 'include Makefile\nshown: ;'
            for name in VERSION RELEASE TARBALL RELEASED_C GENERATORS PACKAGES MPI_PACKAGES WHOLE; do printf ' @echo "$(%s)" >"%s"\n\t' "$name" "$kept/$name"; done
        } | make -s -C "$HLO_ROOT" -f - shown
    fi
    tr ' ' '\n' <"$kept/$1"
}

listing() { (cd "$root" && find . -type f -exec cksum {} + -o -type l -printf '%l  %p\n' | sort -k 3); }

@test "install, install again, uninstall: the same files, and then none" {
    for settings in "STRIP=: PREFIX=/usr/local" "STRIP=: PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu MANDIR=/usr/man DOCDIR=/usr/doc/hlo BINDIR=/bin"; do
        # shellcheck disable=SC2086 # several settings
        make_in_root install DESTDIR="$root" $settings
        listing >first
        [ "$(wc -l <first)" -gt 200 ] || fail "$(cat first)"
        # shellcheck disable=SC2086
        (umask 077 && make_in_root install DESTDIR="$root" $settings)
        listing | diff first -
        wrong=$(find "$root" -type f ! -perm -444 -o -type d ! -perm -555)
        [ -z "$wrong" ] || fail "not for everybody: $wrong"
        # shellcheck disable=SC2086
        make_in_root uninstall DESTDIR="$root" $settings
        [ -z "$(find "$root" -type f -o -type l)" ] || fail "left: $(find "$root" -type f -o -type l)"
        [ -z "$(find "$root" -name '*hlo*')" ] || fail "left: $(find "$root" -name '*hlo*')"
    done
}

@test "uninstall leaves what others have put beside" {
    make_in_root install STRIP=: DESTDIR="$root" PREFIX=/opt
    for file in bin/own lib/libown.so share/doc/hlo-tools/docs/own include/own.h; do touch "$root/opt/$file"; done
    make_in_root uninstall DESTDIR="$root" PREFIX=/opt
    (cd "$root/opt" && find . -type f | sort) | diff - <(printf './%s\n' bin/own include/own.h lib/libown.so share/doc/hlo-tools/docs/own)
}

@test "programs that are installed run, have manuals, and no debugging information" {
    use_installed
    for program in "$root"/opt/hlo/bin/*; do
        "$program" --version | grep -qx "$(basename "$program") $(setting VERSION)"
        head -n 1 "$root/opt/hlo/share/man/man1/$(basename "$program").1" | grep -q '^\.TH HLO-' || fail "no manual of $program"
    done
    [ "$(cd "$root/opt/hlo/bin" && echo *)" = "$(cd "$HLO_BIN" && echo hlo-*)" ]
    printf %s "$good_module" | "$root/opt/hlo/bin/hlo-verify"
    # What is installed has none, what stays here has.
    for file in "$root"/opt/hlo/bin/* "$root"/opt/hlo/lib/here/libhlo.{so,a}; do
        if readelf -S "$file" | grep -q '\.debug_info'; then fail "$file is not stripped"; fi
    done
    readelf -S "$HLO_BIN/hlo-verify" | grep -q '\.debug_info' || fail "the build has lost its symbols"
}

@test "links between the installed pages lead to installed files" {
    use_installed
    cd "$root/opt/hlo/share/doc/hlo-tools"
    links=0
    # PAGE:LINK of all pages, and in the same order where each link leads to.
    grep -rHo --include='*.md' ']([^):]*)' . | sed 's/:\](/:/; s/[)#][^:]*$//' | grep -v ':$' >"$BATS_TEST_TMPDIR/links"
    sed 's|[^/]*:||' "$BATS_TEST_TMPDIR/links" | xargs -d '\n' realpath -m --relative-to=. >"$BATS_TEST_TMPDIR/targets"
    while IFS=$'\t' read -r link target; do
        # Links into the sources have no counterpart.
        [[ $target =~ ^(docs|examples)(/|$) || $target =~ ^[A-Z]+(\.md)?$ ]] || continue
        links=$((links + 1))
        [ -e "$target" ] || fail "$link: is not there"
    done < <(paste "$BATS_TEST_TMPDIR/links" "$BATS_TEST_TMPDIR/targets")
    [ "$links" -gt 50 ] || fail "only $links links"
}

# pkg-config for what is installed: not where it was installed to.
use_pkg_config() {
    command -v pkg-config >/dev/null || skip "no pkg-config"
    use_installed
    export PKG_CONFIG_PATH=$root/opt/hlo/lib/here/pkgconfig
    pkg-config() { command pkg-config --define-variable=prefix="$root/opt/hlo" "$@"; }
}

@test "pkg-config: programs with the shared library" {
    use_pkg_config
    [ "$(pkg-config --modversion libhlo)" = "$(setting VERSION)" ]
    [ "$(command pkg-config --variable=libdir libhlo)" = /opt/hlo/lib/here ]
    # The example of README.md.
    sed -n '/^```c$/,/^```$/{/^```/d;p}' "$HLO_ROOT/README.md" >own.c
    # shellcheck disable=SC2046 # several flags
    cc -Wall -Werror own.c $(pkg-config --cflags --libs libhlo) -o own
    printf %s "$good_module" | LD_LIBRARY_PATH=$root/opt/hlo/lib/here ./own -
}

# link_examples FLAG: links the installed examples, each in the place of own.c, by the command of docs/packaging.md that has the flag, and
# compares what they print with what they print with the shared library. Leaves the libraries of the last one in $needed.
link_examples() {
    local command examples=$root/opt/hlo/share/doc/hlo-tools/examples
    command=$(sed -n 's/^    \(cc own\.c .*\)/\1/p' "$HLO_ROOT/docs/packaging.md" | grep -F -e "$1")
    [ "$(wc -l <<<"$command")" = 1 ] || fail "commands of docs/packaging.md: $command"
    for example in "$examples"/*.c; do
        (eval "${command/ own.c / \"\$example\" }") 2>messages || fail "$command" "$(cat messages)"
        # shellcheck disable=SC2046
        cc -Wall -Werror "$example" $(pkg-config --cflags --libs libhlo) -lm -pthread -o shared
        (cd "$examples/.." && "$BATS_TEST_TMPDIR/own") >own.out
        (cd "$examples/.." && LD_LIBRARY_PATH=$root/opt/hlo/lib/here "$BATS_TEST_TMPDIR/shared") >shared.out
        diff shared.out own.out || fail "$command: $example"
    done
    needed=$(readelf -d own | grep NEEDED || true)
}

@test "pkg-config --static: programs with libhlo.a" {
    use_pkg_config
    link_examples /libhlo.a
    [[ $needed == *libc.so* && $needed != *libhlo* ]] || fail "$needed"
}

@test "pkg-config --static: programs without shared libraries" {
    use_pkg_config
    # What the C library of this machine needs besides, others need too: the flags have threads and dlopen.
    flags=" $(pkg-config --static --libs libhlo) "
    for flag in -lhlo -ljansson -lz -lzstd -lm -ldl -pthread; do
        [[ $flags == *" $flag "* ]] || fail "no $flag: $flags"
    done
    echo 'int main(void) { return 0; }' >empty.c
    cc empty.c -static -ljansson -lz -lzstd -o empty 2>messages || skip "no static libraries: $(tail -n 1 messages)"
    link_examples " -static "
    [ -z "$needed" ] || fail "$needed"
}

@test "the version of hlo.h is everybody's" {
    version=$(sed -n 's/^#define HLO_VERSION "\(.*\)"/\1/p' "$HLO_ROOT/include/hlo/version.h")
    [ "$(setting VERSION)" = "$version" ]
    [ "$(setting TARBALL)" = "build/dist/hlo-tools-$version.tar.gz" ]
    for program in "$HLO_BIN"/hlo-*; do
        [ "$("$program" --version | head -n 1)" = "$(basename "$program") $version" ]
        "$program" --help=man | head -n 1 | grep -qF "$version" || fail "$program --help=man: another version"
    done
    readelf -d "$HLO_BUILD/lib/libhlo.so" | grep -qF "[libhlo.so.${version%%.*}]"
    [ "$(sed -nE 's/^## \[([0-9.]+)\].*/\1/p' "$HLO_ROOT/CHANGELOG.md" | head -n 1)" = "$version" ] ||
        fail "CHANGELOG.md begins with another version"
    expect_text "$HLO_ROOT/python/hlo/_version.py" "VERSION = \"$version\""
    expect_text "$HLO_ROOT/python/hlo/_version.py" "SONAME = \"libhlo.so.${version%%.*}\""
    # The library's version script has no release after this one.
    latest=$(sed -nE 's/^HLO_([0-9.]+) \{$/\1/p' "$HLO_ROOT/src/api/libhlo.map" | sort -V | tail -n 1)
    [ "$(printf '%s\n' "$latest" "$version" | sort -V | tail -n 1)" = "$version" ]
}

# Runs tools/make-dist over the tracked files, or those that an unpacked tarball lists.
make_dist() {
    (cd "$HLO_ROOT" && umask "$1" && tools/make-dist "$(setting RELEASE)" "$2" $(setting RELEASED_C))
}

# use_tarball: $tarball is made by the first test that needs it.
use_tarball() {
    tarball=$BATS_FILE_TMPDIR/tarball
    [ -f "$tarball" ] || make_dist 022 "$tarball"
}

@test "the release tarball: the same bytes each time, all sources, scanner and parser" {
    [ -e "$HLO_ROOT/.git" ] || [ -e "$HLO_ROOT/generated" ] || skip "neither a clone nor an unpacked tarball"
    use_tarball
    make_dist 077 "$PWD/second"
    cmp "$tarball" second
    name=$(setting RELEASE)
    gunzip -c "$tarball" >files.tar
    tar -tf files.tar >names
    [ -z "$(grep -v "^$name/" names)" ]
    for file in $(setting RELEASED_C); do
        tar -xOf files.tar "$name/generated/$(basename "$file")" | cmp - "$HLO_ROOT/$file"
    done
    # No build products, no owners, one time.
    if grep -E '^[^/]*/(build|\.git)/|__pycache__|\.o$' names; then fail "more than sources"; fi
    [ "$(TZ=UTC tar -tvf files.tar | awk '{ print $2, $4, $5 }' | sort -u | wc -l)" = 1 ]
    tar -xOf files.tar "$name/generated/MANIFEST" | sed "s|^|$name/|" | LC_ALL=C sort >listed
    grep -v -e '/$' -e "^$name/generated/" names | LC_ALL=C sort | diff listed -
}

@test "an unpacked tarball takes what re2c and Bison made from it, and lists no need of them" {
    [ -e "$HLO_ROOT/.git" ] || [ -e "$HLO_ROOT/generated" ] || skip "neither a clone nor an unpacked tarball"
    use_tarball
    tar -xzf "$tarball"
    cd "$(setting RELEASE)"
    # shellcheck disable=SC2046 # several files
    make -s RE2C=false BISON=false $(setting RELEASED_C) >"$BATS_TEST_TMPDIR/make.out" 2>&1 ||
        fail "$(cat "$BATS_TEST_TMPDIR/make.out")"
    for file in $(setting RELEASED_C); do cmp "$file" "$HLO_ROOT/$file"; done
    HLO_ROOT=$PWD
    if setting PACKAGES | grep -E 're2c|bison'; then fail "make deps would install them"; fi
    # A grammar that was changed is translated again.
    touch -d '+1 hour' grammar/hlo.re
    if make -s RE2C=false build/gen/hlo_scan.c 2>/dev/null; then fail "an old scanner is taken"; fi
}

@test "make deb without what it needs names the packages and the target that installs them" {
    command -v dpkg-checkbuilddeps >/dev/null || skip "dpkg-dev is not installed"
    [ -e "$HLO_ROOT/.git" ] || [ -e "$HLO_ROOT/generated" ] || skip "neither a clone nor an unpacked tarball"
    use_tarball
    mkdir empty admin
    : >admin/status
    # A database of packages in which none is installed.
    real=$(command -v dpkg-checkbuilddeps)
    printf '#!/bin/sh\nexec %s --admindir=%s "$@"\n' "$real" "$PWD/admin" >empty/dpkg-checkbuilddeps
    chmod +x empty/dpkg-checkbuilddeps
    cp "$tarball" "$(basename "$(setting TARBALL)")"
    PATH=$PWD/empty:$PATH expect_status 1 "$HLO_ROOT/tools/make-deb" "$(basename "$(setting TARBALL)")" deb
    grep -qE 'packages are missing: .*debhelper .*; `make deps deps-mpi deps-deb` installs them' "$err" || fail "$(cat "$err")"
}

# The packages that packaging/debian/control builds with, a line for each.
build_depends() {
    sed -n '/^Build-Depends:/,/^[^ B]/{s/^Build-Depends://; /^[^ ]/!p}' "$HLO_ROOT/packaging/debian/control" | tr ',' '\n' |
        awk 'NF { print $1 }'
}

@test "Debian's build dependencies are the packages of make deps and make deps-mpi" {
    {
        setting GENERATORS && setting PACKAGES && setting MPI_PACKAGES
        # What build-essential brings.
    } | grep -vx -e gcc -e libc6-dev | sort -u >wanted
    build_depends | grep -v -e '^debhelper-compat$' -e '^dh-' -e '^python3:any$' | sort | diff wanted -
}

@test "Debian's packages: a copyright, and a short description within 80 columns for each" {
    control=$HLO_ROOT/packaging/debian/control
    [ "$(grep -c '^Package: ' "$control")" = "$(grep -c '^Description: ' "$control")" ]
    awk '/^Description: / && length($0) > 80 + 13 { print; bad = 1 } END { exit bad }' "$control"
    expect_text "$HLO_ROOT/packaging/debian/copyright" "License: Apache-2.0"
}

@test "the workflows are YAML, call .ci/run and each part of check-nightly, and pin what they use" {
    workflows=$HLO_ROOT/.github/workflows
    expect_text "$workflows/ci.yml" .ci/run
    if grep 'uses:' "$workflows"/*.yml | grep -vE '@[0-9a-f]{40} # v[0-9.]+$'; then fail "not pinned"; fi
    for target in $(setting WHOLE); do
        grep -qE "[[ ]$target[],]" "$workflows/nightly.yml" || fail "nightly.yml leaves out $target"
    done
    python3 -c 'import yaml' 2>/dev/null || skip "no Python with yaml"
    python3 - "$workflows"/*.yml <<'END'
import sys, yaml
for workflow in sys.argv[1:]:
    for name, job in yaml.safe_load(open(workflow))["jobs"].items():
        assert job["runs-on"] and job["container"], name
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step), (name, step)
END
}

@test "install-packages: what another architecture has is missing, what two have is there" {
    mkdir -p bin
    cat >bin/dpkg-query <<'S'
#!/bin/sh
for package in "$@"; do :; done # the last argument
case $package in
here) echo 'installed riscv64' ;;
both) printf 'installed amd64\ninstalled riscv64\n' ;;
any) echo 'installed all' ;;
foreign) echo 'installed amd64' ;;
removed) echo 'config-files riscv64' ;;
*) exit 1 ;;
esac
S
    printf '#!/bin/sh\necho riscv64\n' >bin/dpkg
    printf '#!/bin/sh\necho 0\n' >bin/id
    printf '#!/bin/sh\necho "$@" >>calls\n' >bin/apt-get
    chmod +x bin/*
    export PATH=$PWD/bin:$PATH
    expect_status 0 "$HLO_ROOT/tools/install-packages" here both any
    [ ! -s "$out" ] && [ ! -e calls ] || fail "$(cat "$out" calls)"
    expect_status 0 "$HLO_ROOT/tools/install-packages" here foreign both removed any none
    expect_text "$out" "deps: installing foreign removed none"
    expect_text calls "install -y --no-install-recommends foreign removed none"
}
