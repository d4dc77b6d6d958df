# Drawings and pages of the hostile modules of tests/cli/injection, in a browser (`make check-browser`).

load ../lib
load ../graph/page/page
load ../cli/injection/payloads

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    folder=$HLO_ROOT/tests/cli/injection
}

@test "no script of a module runs, and links lead to places" {
    needs_browser
    command -v dot >/dev/null || skip "Graphviz is not installed"
    all_payloads
    for module in modules/*; do
        n=$(basename "$module" .json)
        hlo-dot -T svg --layout=fast "$module" >"$n.svg"
        hlo-dot -T html "$module" >"$n.dot.html"
        hlo-stat --emit=html "$module" >"$n.stat.html"
    done
    status=0
    PYTHONDONTWRITEBYTECODE=1 python3 "$folder/opens.py" ./*.svg ./*.html >said || status=$?
    cat said
    [ "$status" != 4 ] || skip "$(tail -n 1 said)"
    [ "$status" = 0 ] || fail "see above"
}
