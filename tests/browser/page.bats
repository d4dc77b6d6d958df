# The page of hlo-dot -T html in a browser: what is on the screen, and what keys and the mouse do (`make check-browser`). Nothing
# here depends on times, which tests/graph/page/measure.py measures; graph/page.bats has the data of pages.

load ../lib
load ../graph/page/page

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    needs_browser
}

@test "drawing, selection, opening in place, loops" {
    printf %s "$sample" >m.hlo
    hlo-dot -o m.html m.hlo
    drives m.html=opens,selects,opens_in_place,opens_loops
}

@test "no text of a real dump is wider than its box, in the page and as SVG" {
    needs_browser
    for dump in "$HLO_ROOT"/examples/jax/dumps/*.txt "${HLO_CORPUS:-.}"/vit-train-train_step.hlo; do
        [ -e "$dump" ] || continue
        name=${dump##*/}
        hlo-dot -o "$name.html" "$dump"
        hlo-dot --layout=fast -o "$name.svg" "$dump"
        cases+=("$name.html=fits" "$name.svg=fits_svg")
    done
    drives "${cases[@]}"
}

@test "search, keys, mouse, dark mode" {
    printf %s "$sample" >m.hlo
    hlo-dot -o m.html m.hlo
    drives m.html=searches,keys,moves,dark
}

# A chain of negations of x, and a tuple of x, the 15th and the last.
chain() {
    printf 'HloModule chain\nENTRY main {\n  x = f32[] parameter(0)\n  n1 = f32[] negate(x)\n'
    for i in {2..30}; do echo "  n$i = f32[] negate(n$((i - 1)))"; done
    printf '%b' "$1"
    printf '  ROOT t = (f32[], f32[], f32[]) tuple(x, n15, n30)\n}\n'
}

@test "far operands and users have labels and keys, reducers are one row" {
    needs_browser
    chain '' >chain.hlo
    chain "$(for i in {1..19}; do printf '  less.%d = f32[] subtract(x, n30)\\n' "$i"; done)" >many.hlo
    hlo-dot -o chain.html chain.hlo
    hlo-dot -o many.html many.hlo
    hlo-dot -o step.html "$HLO_ROOT"/examples/jax/dumps/*step.before_optimizations.txt
    drives chain.html=far many.html=many_far step.html=folds
}

@test "a comparison" {
    printf %s "$sample" >before.hlo
    make_after >after.hlo
    hlo-dot --diff=before.hlo -o added.html after.hlo
    hlo-dot --diff=after.hlo -o removed.html before.hlo
    sed -e '/calls=fused/d' -e 's/dot(f, y)/dot(x, y)/' -e '/^fused {/,/^}/d' before.hlo >without.hlo
    hlo-dot --diff=before.hlo -o without.html without.hlo
    hlo-dot --diff=before.hlo -o same.html before.hlo
    drives added.html=added,steps,searches_differences,dark_differences removed.html=removed without.html=removed_fusion same.html=no_differences
}

@test "times of a profile" {
    printf %s "$sample" >m.hlo
    echo '{"instructions": [{"instructions": ["dot.1"], "seconds": 0.75}, {"instructions": ["w", "k"], "seconds": 0.25}]}' >profile.json
    hlo-dot --profile=profile.json -o m.html m.hlo
    drives m.html=times
}

@test "real dumps and odd modules without an error" {
    echo 'HloModule one ENTRY e { ROOT c = f32[] constant(1) }' >one.hlo
    tiny_loop >loop.hlo
    hlo-opt --passes=lower-control-flow loop.hlo >graph.hlo
    pages=()
    files=(one.hlo graph.hlo)
    [ -z "$HLO_CORPUS" ] || files+=("$HLO_CORPUS"/bench-{mha_block*,dlrm*train*,diffrax*,u4*}.hlo)
    for file in "${files[@]}"; do
        page=$(basename "$file" .hlo).html
        hlo-dot -o "$page" "$file"
        pages+=("$page=corpus")
    done
    drives "${pages[@]}"
    [ -n "$HLO_CORPUS" ] || skip "no corpus: two small modules only"
}
