# tests/parse/messages: broken texts (NAME.hlo) and everything that hlo-verify reports about each (NAME.err).
#
# After a change of wording or places, look at how `HLO_BLESS=1 tests/run-all.sh build messages` changes
# the .err files (git diff tests/parse/messages): it writes the present messages and passes. A new case is a new
# NAME.hlo, blessed the same way. One mistake should give one error, and valid text after it none.

load ../lib
load ../cases

setup() {
    cd "$HLO_ROOT/tests/parse/messages" || return 1
}

teardown_file() {
    sum_cases
}

# said_about FILE: the diagnostics to $said, the exit status to $status.
said_about() {
    status=0
    said=$(cpu_seconds 60 hlo-verify "$1" 2>&1) || status=$?
}

@test "diagnostics of broken texts" {
    begin_cases
    for module in *.hlo; do
        said_about "$module"
        wanted=${module%.hlo}.err
        if [ -n "${HLO_BLESS:-}" ]; then printf '%s\n' "$said" >"$wanted"; fi
        if [ $status != 1 ]; then bad "$module" "status $status: $said"
        elif [ ! -f "$wanted" ]; then bad "$module" "there is no $wanted"
        elif [ "$said" != "$(cat "$wanted")" ]; then
            bad "$module" "$(diff <(printf '%s\n' "$said") "$wanted" | head -n 12)"
        else ok; fi
    done
    end_cases
}

@test "texts that end anywhere are refused with a place" {
    begin_cases
    for module in *.hlo; do
        size=$(wc -c <"$module")
        for part in 1 2 3 4 5 6 7; do
            cut=$BATS_TEST_TMPDIR/cut.hlo
            head -c $((size * part / 8)) "$module" >"$cut"
            said_about "$cut"
            if [ $status != 1 ]; then bad "$module, $part eighths" "status $status: $said"
            elif ! [[ $said =~ :[0-9]+:[0-9]+:\ error: ]]; then bad "$module, $part eighths" "no place: $said"
            else ok; fi
        done
    done
    end_cases
}
