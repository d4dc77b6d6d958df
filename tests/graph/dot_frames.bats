# hlo-dot: frames of dataflow graphs, and edges to the next iteration, in both layouts.

load ../lib
load ../cases

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    flow=$(cases_of control_flow)
    nested=$flow/nested-three-levels/dataflow.hlo
}

teardown_file() {
    sum_cases
}

@test "frames of dataflow graphs are clusters, back edges are dashed" {
    merges=$(grep -c ' merge(.*next-iteration' "$nested")
    for layout in dot fast; do
        expect_status 0 hlo-dot --layout=$layout "$nested"
        [ "$(grep -c '^subgraph cluster_frame_' "$out")" = 3 ]
        [ "$(grep -c 'tooltip="next iteration"' "$out")" = "$merges" ]
        grep -A 3 '^subgraph cluster_frame_' "$out" | grep -q 'label="frame while.1"'
        # In each other, all in the entry's.
        [ "$(grep -oE '^subgraph|^}$' "$out" | head -n 5 | paste -sd ' ')" = "subgraph subgraph subgraph subgraph }" ]
        [ "$(grep -c '{$' "$out")" = "$(grep -c '^}$' "$out")" ]
    done
}

# Draws it in the fast layout, which must be without faults, and have so many frames.
is_well_placed() {
    : >faults
    hlo-dot --layout=fast "${@:3}" "$1" >graph.dot || return
    awk -f "$HLO_ROOT/tests/graph/dot_geometry.awk" graph.dot >faults
    [ "$(wc -l <faults)" = 1 ] && [ "$(sed 's/.* //' faults)" = "$2" ]
}

frames_of() {
    grep -o 'frame_name="[^"]*"' "$1" | sort -u | wc -l
}

@test "the fast layout keeps frames apart, with all that is in them" {
    begin_cases
    for graph in $(one_of 3 "$flow"/*/dataflow.hlo); do
        if is_well_placed "$graph" "$(frames_of "$graph")"; then ok; else bad "$graph" "$(<faults)"; fi
    done
    for module in "$HLO_ROOT"/tests/golden/models/*/module.hlo; do
        hlo-opt --passes=lower-control-flow -o graph.hlo "$module"
        if is_well_placed graph.hlo "$(frames_of graph.hlo)"; then ok; else bad "$module" "$(<faults)"; fi
    done
    end_cases
}

@test "frames of parts are in their devices" {
    begin_cases
    for parts in "$flow"/*/partitioned.hlo; do
        # Each device has separate frames.
        frames=$(awk '/^HloModule/ { split("", seen) }
            match($0, /frame_name="[^"]*"/) && !seen[substr($0, RSTART, RLENGTH)]++ { n++ } END { print n + 0 }' "$parts")
        if is_well_placed "$parts" "$frames" --legend; then ok; else bad "$parts" "$(<faults)"; fi
    done
    end_cases
}

@test "frames of what options select" {
    name=$(sed -n 's/^ *\(%\{0,1\}\)\(sine[.0-9]*\) = .*/\2/p' "$nested")
    # It is in the third; the others hold that one, and nothing else.
    is_well_placed "$nested" 3 --around="$name" --radius=0
    [ "$(<faults)" = "3 3" ] || fail "$(<faults)"
    for limit in 1 5 10 20 40; do is_well_placed "$nested" 3 --max-nodes=$limit || [ "$(wc -l <faults)" = 1 ]; done
}

@test "an edge to the next iteration ends at its merge from below" {
    hlo-dot --layout=fast "$nested" >graph.dot
    # The first two points are the ends: y of the head, at the merge, is above that of the tail.
    awk '/tooltip="next iteration"/ {
            match($0, /pos="e,[^"]*"/); split(substr($0, RSTART + 7, RLENGTH - 8), p, /[ ,]/)
            edges++; if (p[2] <= p[4]) bad++
        }
        END { exit !(edges && !bad) }' graph.dot
    ! command -v dot >/dev/null || { dot -Tsvg graph.dot >drawn 2>complaints && [ ! -s complaints ]; }
}
