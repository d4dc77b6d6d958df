# What a user sees of the programs' options: --help, --help-all, manual pages, completion and documentation, all from
# the option tables. --help=json is what the others are compared with; every program in build/bin is looked at.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    mapfile -t all < <(cd "$HLO_BIN" && ls -d hlo-*)
    [ "${#all[@]}" -ge 6 ] || fail "programs: ${all[*]}"
}

# Spellings of a program's options: --name, --no-name of a switch, -l.
spellings() {
    "$1" --help=json | jq -r '.options[] | "--" + .name, (select(.kind == "switch") | "--no-" + .name), (.letter // empty | "-" + .)'
}

manuals() {
    "$HLO_ROOT/tools/make-man" "$HLO_BIN" man "${all[@]}"
}

@test "every option of every program is in --help-all" {
    for program in "${all[@]}"; do
        "$program" --help-all >text
        "$program" --help=json | jq -r '.options[] | (if .letter then "-" + .letter + ", " else "    " end)
            + (if .kind == "switch" then "--[no-]" else "--" end) + .name
            + (if .argument then (if .kind == "maybe" then "[=" + .argument + "]" else "=" + .argument end) else "" end)' >options
        [ "$(wc -l <options)" -gt 10 ] || fail "$program: $(cat options)"
        while IFS= read -r option; do
            grep -qE "^  $option( |$)" text || fail "$program --help-all: $option"
        done < <(sed 's/[][{}.|*+?()^$\\]/\\&/g' options)
        [ "$(grep -cE '^  (-.,|   ) --' text)" = "$(wc -l <options)" ] || fail "$program --help-all has other options, too"
    done
}

@test "--help fits a screen: the most used options, an example, where the rest is" {
    for program in "${all[@]}"; do
        "$program" --help >text
        [ "$(wc -l <text)" -le 24 ] || fail "$program --help: $(wc -l <text) lines"
        [ "$(wc -L <text)" -le 80 ] || fail "$program --help: $(wc -L <text) columns"
        for words in "usage: $program " "Examples:" "$program --help-all"; do expect_text text "$words"; done
        "$program" --help=json | jq -r '.options[] | select(.often).name' >often
        [ "$(wc -l <often)" -ge 4 ] || fail "$program: most used options: $(cat often)"
        while read -r name; do grep -qE -- "--(\[no-\])?$name([=[ ]|$)" text || fail "$program --help: --$name"; done <often
        [ "$(grep -cE '^  (-.,|   ) --' text)" = "$(wc -l <often)" ] || fail "$program --help has other options, too"
    done
}

@test "every option is in the manual page, with the sections of one" {
    manuals
    for program in "${all[@]}"; do
        for section in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' ENVIRONMENT FILES EXAMPLES 'SEE ALSO'; do
            grep -qxF ".SH $section" "man/$program.1" || fail "$program.1: no $section"
        done
        "$program" --help=json | jq -r '.files[].name | gsub("-"; "\\-")' >files
        [ -s files ] || fail "$program: no files"
        while IFS= read -r file; do
            for page in "$program.1" hlo.7; do grep -qxF ".B $file" "man/$page" || fail "$page: $file"; done
        done <files
        "$program" --help=json | jq -r '.options[] | "\\fB\\-\\-" + (if .kind == "switch" then "[no\\-]" else "" end)
            + (.name | gsub("-"; "\\-")) + "\\fR"' >options
        while IFS= read -r option; do grep -qF -- "$option" "man/$program.1" || fail "$program.1: $option"; done <options
        for variable in $("$program" --help=json | jq -r '.variables[].name, (.options[].variable // empty)'); do
            grep -qxF ".B $variable" "man/$program.1" || fail "$program.1: $variable"
            grep -qxF ".B $variable" man/hlo.7 || fail "hlo.7: $variable"
        done
    done
}

@test "manual pages are well-formed" {
    command -v groff >/dev/null || command -v mandoc >/dev/null || skip "neither groff nor mandoc is installed"
    manuals
    for page in man/*; do
        if command -v groff >/dev/null; then
            groff -man -Tascii -ww "$page" >text 2>warnings || fail "$page: $(cat warnings)"
            [ ! -s warnings ] || fail "$page: $(head warnings)"
            [ "$(wc -l <text)" -gt 60 ] || fail "$page: $(cat text)"
        fi
        if command -v mandoc >/dev/null; then
            mandoc -T lint -W warning "$page" >warnings || fail "$(head warnings)"
        fi
    done
}

@test "hlo(7) has every operation, element type, rule, pass, pipeline and program" {
    manuals
    {
        hlo-verify --list-operations --format=json
        hlo-verify --list-rules --format=json
        hlo-opt --list-passes --format=json
        hlo-opt --list-pipelines --format=json
    } | jq -r .name | sed 's/-/\\-/g' >names
    [ "$(wc -l <names)" -gt 300 ] || fail "$(wc -l <names) names"
    missing=$(sed 's/^/.B /' names | grep -vxF -f man/hlo.7) || true
    [ -z "$missing" ] || fail "hlo.7: $missing"
    for type in $(hlo-verify --list-types --format=json | jq -r .name); do
        grep -qE "^$type  *[0-9]+$" man/hlo.7 || fail "hlo.7: $type"
    done
    for program in "${all[@]}"; do
        grep -qE "^\.BR ${program//-/\\\\-} \(1\)" man/hlo.7 || fail "hlo.7: $program"
    done
    if grep -n '^@\|@[A-Z]*@' man/hlo.7; then fail "a table of hlo.7 is missing"; fi
}

@test "every option completes in each shell" {
    for program in "${all[@]}"; do
        "$program" --complete -- >answer 2>/dev/null
        "$program" --complete - | sed 1d | cut -f1 | sed 's/=$//' | sort -u >offered
        spellings "$program" | sort -u >wanted
        diff wanted offered || fail "$program --complete"
        "$program" --help=json | jq -r '.options[] | select(.kind == "choice") | .name as $n | .argument | split("|")[] | "\($n) \(.)"' |
            while read -r name choice; do
                "$program" --complete "--$name=" | cut -f1 | grep -qxF -- "$choice" || fail "$program --$name=$choice"
                "$program" --complete "--$name" "$choice" | cut -f1 | grep -qxF -- "$choice" || fail "$program --$name $choice"
            done
    done
}

@test "every option and variable is in docs/all-options.md" {
    for program in "${all[@]}"; do
        sed -n "/^## $program\$/,/^## hlo-/p" "$HLO_ROOT/docs/all-options.md" >section
        for name in $("$program" --help=json | jq -r '.options[].name'); do
            grep -qE -- "^\| .*--(\[no-\])?$name[\`=[]" section ||
                fail "docs/all-options.md: $program --$name"
        done
        for variable in $("$program" --help=json | jq -r '.variables[].name, (.options[].variable // empty)'); do
            grep -qF "| \`$variable\` |" "$HLO_ROOT/docs/all-options.md" || fail "docs/all-options.md: $variable"
        done
    done
}

@test "--help=json is one object; other forms are wrong use" {
    for program in "${all[@]}"; do
        [ "$("$program" --help=json | jq -c '[.program, (.options | length > 10), (.version | length > 0)]')" = "[\"$program\",true,true]" ]
    done
    expect_status 2 hlo-run --help=text
    expect_text "$err" "--help takes man|json, not 'text'"
    expect_status 3 bash -c "hlo-run --help-all >/dev/full"
    expect_status 3 bash -c "hlo-run --help=json >/dev/full"
    expect_status 3 bash -c "hlo-run --completion=zsh >/dev/full"
    expect_status 3 bash -c "hlo-run --complete -- >/dev/full"
    expect_status 2 hlo-run --inputs=ones --complete
    expect_text "$err" "--complete must be the first argument"
}
