# What the dataflow executor does, by its trace: the properties of tokens, frames, dead paths, windows of iterations,
# messages and stacks.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
    flow=$(cases_of control_flow)
}

# trace CASE OPTION...: runs it, and leaves the lines `device event node tag dead`, tab separated, in events.
trace() {
    local case=$flow/$1 module=${MODULE:-module.hlo}
    shift
    # shellcheck disable=SC2046
    expect_status 0 hlo-run --executor=dataflow --trace=trace.jsonl "$@" "$case/$module" \
        $(find "$case" -name 'in*.npy' | sort -V) $(if [ "$module" = gradient.hlo ]; then find "$case" -name 'ct*.npy' | sort -V; fi)
    awk '
        function field(name) {
            if (!match($0, "\"" name "\": (\"[^\"]*\"|[a-z0-9.]*)")) return ""
            value = substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4)
            gsub("\"", "", value)
            return value
        }
        { print field("device") "\t" field("event") "\t" field("node") "\t" field("tag") "\t" field("dead") }' \
        trace.jsonl >events
}

# What holds for every run: a node fires once in a tag; what opens closes; at most LIMIT iterations of a frame are alive.
check_events() {
    awk -F'\t' -v limit="$1" '
        function frame_of(tag) { sub("/[0-9]*$", "", tag); return $1 " " tag }
        $2 == "fire" && fired[$1, $3, $4]++ { print "fires twice: " $0 }
        $2 == "frame-open" { frames++ }
        $2 == "frame-close" { frames-- }
        $2 == "iteration-open" { iterations++; if (++living[frame_of($4)] > limit) print "too many iterations: " $0 }
        $2 == "iteration-close" { iterations--; living[frame_of($4)]-- }
        $2 == "send" { sent[$4 "|" $5]++; messages++ }
        $2 == "recv" { received++ }
        $2 == "fire" && $3 ~ /^next-iteration/ && $5 == "true" { dead_next++ }
        END {
            if (frames) print frames " frames are open"
            if (iterations) print iterations " iterations are open"
            if (messages != received) print messages " messages, " received " received"
        }' events >wrong
    [ ! -s wrong ] || fail "$(head -n 5 wrong)"
}

# count EVENT NODE DEAD
count() {
    awk -F'\t' -v event="$1" -v node="$2" -v dead="$3" '$2 == event && $3 ~ ("^" node "$") && $5 == dead' events | wc -l
}

expect_count() {
    local got
    got=$(count "$1" "$2" "$3")
    [ "$got" = "$4" ] || fail "$got of $1 $2 dead=$3, not $4"
}

@test "nodes fire once in a tag, frames and iterations close, the limit of iterations is kept" {
    for case in $(cd "$flow" && one_of 5 *); do
        case $case in *million* | *hundred-thousand* | *ten-thousand* | *200x1MB*) continue ;; esac
        for limit in 1 3 10; do
            trace "$case" --threads=2 --parallel-iterations=$limit
            check_events $limit
        done
    done
}

@test "a body fires once a trip and once dead, a condition once more; dead tokens stop at next-iterations" {
    trace while-trips-thousand --threads=1
    expect_count fire 'multiply.*' false 1000
    expect_count fire 'multiply.*' true 1
    expect_count fire 'compare.*' false 1001
    expect_count fire 'compare.*' true 0
    expect_count fire 'next-iteration' false 1000
    expect_count fire 'next-iteration' true 1
    expect_count fire 'exit' false 1
    expect_count iteration-open '' false 1001
    trace while-trips-zero --threads=1
    expect_count fire 'multiply.*' false 0
    expect_count fire 'multiply.*' true 1
}

@test "what is in a branch that is not taken is never computed, and its nodes fire dead once" {
    trace cond-untaken-branch-never-ends-false --threads=1
    check_events 10
    trace cond-guards-division --threads=1
    [ "$(count fire 'divide.*' false)" = 0 ]
    [ "$(count fire 'divide.*' true)" = 1 ]
}

@test "a loop over two devices sends three messages a trip and in the last iteration, two of them dead" {
    for trips in 0 1 25; do
        trace "partition-body-op-$trips-trips" --devices=2
        check_events 10
        [ "$(awk -F'\t' '$2 == "send"' events | wc -l)" = $((3 * (trips + 1))) ] || fail "$trips trips: $(awk -F'\t' '$2 == "send"' events | wc -l)"
        [ "$(awk -F'\t' '$2 == "send" && $5 == "true"' events | wc -l)" = 2 ]
    done
}

@test "a device with nodes of the outer loop only has no loop for the inner one" {
    expect_status 0 hlo-opt --passes=lower-control-flow,partition "$flow/partition-outer-only-device/module.hlo"
    awk '/^HloModule/ { device++ } /frame_name=/ { match($0, /frame_name="[^"]*"/); print device, substr($0, RSTART, RLENGTH) }' "$out" |
        sort -u >frames
    [ "$(grep -c '^1 ' frames)" = 2 ] || fail "$(cat frames)"
    [ "$(grep -c '^2 ' frames)" = 1 ] || fail "$(cat frames)"
}

@test "pops are as many as pushes, in the opposite order" {
    export MODULE=gradient.hlo
    for case in g-while-power-seven-trips g-nested-triangle g-cond-in-while-data; do
        trace "$case" --threads=2
        check_events 10
        pushes=$(awk -F'\t' '$2 == "push"' events | wc -l) pops=$(awk -F'\t' '$2 == "pop"' events | wc -l)
        [ "$pushes" -gt 0 ] && [ "$pushes" = "$pops" ] || fail "$case: $pushes pushes, $pops pops"
        awk -F'\t' '$2 == "push" { if (popped) exit 1 } $2 == "pop" && $3 == first { popped = 1 }' events
    done
}

@test "a million trips need the memory of ten" {
    expect_status 0 hlo-run --executor=dataflow --lower-scalar-loops "$flow"/while-million-integer/{module.hlo,in0.npy} --bench=1 --bench-json=bench.json
    peak=$(sed -n 's/.*"peak_bytes": *\([0-9]*\).*/\1/p' bench.json)
    if [[ $HLO_BUILD == *asan* || $HLO_BUILD == *tsan* ]]; then skip "sanitizers need memory of their own"; fi
    [ -n "$peak" ] && [ "$peak" -lt 64000000 ] || fail "$(cat bench.json)"
}

@test "the Chrome trace is JSON with the same events" {
    expect_status 0 hlo-run --executor=dataflow --trace=trace.json --trace-form=chrome "$flow"/nested-triangle/{module.hlo,in*.npy}
    head -n 1 trace.json | grep -qx '\['
    tail -n 1 trace.json | grep -qx '\]'
    grep -q '"ph": "X", .*"cat": "fire"' trace.json
}
