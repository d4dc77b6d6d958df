#compdef PROGRAM
# Completion of PROGRAM in zsh. Words come from `PROGRAM --complete`.

_hlo_complete() {
    local typed=${(Q)PREFIX} line name about
    [[ $typed == *[\'\"]* ]] && typed=${typed//[\'\"]/}
    local -a answer kind closed open
    answer=("${(@f)$(${(e)~words[1]} --complete "${(@Q)words[2,CURRENT-1]}" "$typed" 2>/dev/null)}")
    kind=(${=answer[1]})
    compset -p $((kind[2] + ${#PREFIX} - ${#typed}))
    for line in "${(@)answer[2,-1]}"; do
        name=${line%%$'\t'*} about=${line#*$'\t'}
        [[ $about == $line ]] && about=''
        if [[ $kind[1] == open || $name == *= ]]; then
            open+=("${name//:/\\:}:$about")
        else
            closed+=("${name//:/\\:}:$about")
        fi
    done
    (($#closed)) && _describe -t values PROGRAM closed
    (($#open)) && _describe -t values PROGRAM open -S ''
    [[ $kind[1] == files ]] && _files
    [[ $kind[1] == directories ]] && _files -/
}

# zsh reads the file as the body of _PROGRAM; a user may source it, too.
if [[ $funcstack[1] == _PROGRAM ]]; then
    _hlo_complete "$@"
else
    compdef _hlo_complete PROGRAM
fi
