# Completion of PROGRAM in fish. Words come from `PROGRAM --complete`.

function __hlo_complete
    set -l words (commandline -opc)
    set -l typed (string replace -ra '[\'"]' '' -- (commandline -ct))
    set -l answer ($words[1] --complete $words[2..-1] "$typed" 2>/dev/null)
    set -l kind (string split ' ' -- $answer[1])
    set -l head (string sub -l $kind[2] -- "$typed")
    set -l tail (string sub -s (math $kind[2] + 1) -- "$typed")
    for line in $answer[2..-1]
        echo "$head$line"
    end
    switch $kind[1]
        case files
            for path in (__fish_complete_path "$tail")
                echo "$head$path"
            end
        case directories
            for path in (__fish_complete_directories "$tail" '')
                echo "$head$path"
            end
    end
end

complete -c PROGRAM -f -a '(__hlo_complete)'
