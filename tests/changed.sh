#!/usr/bin/env bash
# What to hand to run-all.sh after a change: parts of the paths of suites, a line each, `all`, or nothing.
#
#   tests/changed.sh [COMMIT]       what differs from the commit (the last one in common with upstream/main, or HEAD)
#   tests/changed.sh --files        of the files that standard input lists
#
# changed.txt has the table. Called by `make test-changed`.
set -u
cd "$(dirname "$0")/.." || exit 2

changed() {
    local since=${1:-$(git merge-base HEAD upstream/main 2>/dev/null || echo HEAD)}
    git diff --name-only "$since" && git ls-files --others --exclude-standard
}

if [ "${1:-}" = --files ]; then cat; else changed "$@" || exit 2; fi | awk '
    FNR == NR { if (!/^#/) suites[$1] = substr($0, length($1) + 1); next }
    {
        longest = ""
        for (path in suites) if (index($0 "/", path "/") == 1 && length(path) > length(longest)) longest = path
        if (longest != "") found = suites[longest]
        else if ($0 ~ /^tests\/unit\/[a-z_]*\.c$/) { found = $0; sub(/.*\//, "tests/", found); sub(/\.c$/, "", found) }
        else if ($0 ~ /^tests\/unit\//) found = "build/tests/"
        else if ($0 ~ /^tests\/[^\/]*\//) { found = $0; sub(/^tests\//, "", found); sub(/\/.*/, "/", found) }
        else found = "all"
        n = split(found, parts, " ")
        for (i = 1; i <= n; i++) needed[parts[i]] = 1
    }
    END {
        if ("all" in needed) print "all"
        else for (part in needed) print part
    }' tests/changed.txt - | sort
