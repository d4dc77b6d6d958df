# Samples: lists of cases of which `make test` runs some, and `make check-whole` all. Read by lib.bash and by scripts of suites.

# one_of N [LINE...]: every Nth of the lines, or of those on standard input; HLO_ONE_OF is another N for all lists (1: whole lists).
one_of() {
    local n=${HLO_ONE_OF:-$1}
    shift
    if [ $# -gt 0 ]; then printf '%s\n' "$@" | awk -v n="$n" 'NR % n == 1 % n'; else awk -v n="$n" 'NR % n == 1 % n'; fi
}

# Whether all cases run; and the first number then, else the second.
is_whole() { [ "${HLO_ONE_OF:-}" = 1 ]; }
whole() { if is_whole; then echo "$1"; else echo "$2"; fi; }
