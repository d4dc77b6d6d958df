# Suites over directories of small files: one @test loops over a family of cases, and the suite's sum counts
# cases, not @tests (run-all.sh adds up the `# cases:` lines). Used after `load lib`:
#
#   begin_cases; for f in ...; do ... ok | bad NAME WHY | skipped NAME WHY; done; end_cases
#   teardown_file() { sum_cases; }

: "${HLO_BUILD:=$HLO_ROOT/build}"
# Bytes, not characters: cases hold any of them. And bash 5.2 must not read & in replacements.
export LC_ALL=C
shopt -u patsub_replacement 2>/dev/null || true

begin_cases() {
    cases_passed=0 cases_failed=0 cases_skipped=0
    trace_no_functions
}

ok() {
    cases_passed=$((cases_passed + 1))
}

bad() {
    cases_failed=$((cases_failed + 1))
    if [ "$cases_failed" -le 20 ]; then printf '%s: %s\n' "$1" "${2:0:600}" >&2; fi
}

# Names of skipped cases are kept per reason and shown at the end of the file.
skipped() {
    cases_skipped=$((cases_skipped + 1))
    printf '%s\t%s\n' "$2" "$1" >>"$BATS_FILE_TMPDIR/skipped"
}

end_cases() {
    if [ $((cases_passed + cases_failed + cases_skipped)) = 0 ]; then
        echo "no cases found" >&2
        return 1
    fi
    echo "$cases_passed $cases_failed $cases_skipped" >>"$BATS_FILE_TMPDIR/cases"
    if [ "$cases_failed" -gt 20 ]; then echo "... and $((cases_failed - 20)) more" >&2; fi
    [ "$cases_failed" = 0 ]
}

# A remark that is shown whether the test passes or not.
remark() {
    printf '# %s\n' "$*" >&3
}

sum_cases() {
    if [ -f "$BATS_FILE_TMPDIR/skipped" ]; then
        awk -F '\t' '{ n[$1]++; if (n[$1] <= 3) some[$1] = some[$1] " " $2 }
            END { for (why in n) printf "# skipped %d: %s (%s%s)\n", n[why], why, substr(some[why], 2),
                                        (n[why] > 3 ? " ..." : "") }' "$BATS_FILE_TMPDIR/skipped" | sort >&3
    fi
    [ -f "$BATS_FILE_TMPDIR/cases" ] || return 0
    awk '{ p += $1; f += $2; s += $3; if ($2) bad++; else good++ }
        END { printf "# cases: %d passed, %d failed, %d skipped, instead of %d good and %d bad tests\n",
                  p, f, s, good, bad }' \
        "$BATS_FILE_TMPDIR/cases" >&3
}
