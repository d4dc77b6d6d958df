# Completion of PROGRAM in bash. Words come from `PROGRAM --complete`.

# Sets words, word and quote: the words of a line before the last, the last one, as the shell would
# read them, and the quote that is open.
_hlo_words() {
    local line=$1 letter i
    words=() word='' quote=''
    for ((i = 0; i < ${#line}; i++)); do
        letter=${line:i:1}
        case $quote$letter in
        [\'\"]) quote=$letter ;;
        \'\' | \"\") quote='' ;;
        \\) i=$((i + 1)) word+=${line:i:1} ;;
        [[:blank:]])
            [[ -z $word ]] || words+=("$word")
            word=''
            ;;
        *) word+=$letter ;;
        esac
    done
}

# bash breaks words at = and : and hands over the last piece, which candidates are to replace.
_hlo_complete() {
    local LC_ALL=C words word quote kind start head candidate program=${1/#\~/$HOME} piece=$2
    local -a answer files
    [[ $piece != *\\* ]] || { _hlo_words "$piece" && piece=$word; }
    _hlo_words "${COMP_LINE:0:COMP_POINT}"
    mapfile -t answer < <("$program" --complete "${words[@]:1}" "$word" 2>/dev/null)
    read -r kind start <<<"${answer[0]}"
    [[ $kind != files ]] || mapfile -t files < <(compgen -f -- "${word:start}")
    [[ $kind != directories ]] || mapfile -t files < <(compgen -d -- "${word:start}")
    [[ ${#files[@]} == 0 ]] || compopt -o filenames
    head=${word%"$piece"} COMPREPLY=()
    for candidate in "${answer[@]:1}" "${files[@]}"; do
        candidate=${word:0:start}${candidate%%$'\t'*}
        candidate=${candidate#"$head"}
        # What readline does not quote by itself, since these are no names of files.
        [[ $quote || ${#files[@]} != 0 || $candidate != *[{}\(\)\ ]* ]] || printf -v candidate %q "$candidate"
        COMPREPLY+=("$candidate")
    done
    [[ $kind != open && ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}

complete -F _hlo_complete PROGRAM
