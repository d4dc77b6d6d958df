# Lines of files as C string literals. Called by the awk programs in tools that write tables of texts.

function escaped(line) {
    gsub(/\\/, "&&", line)
    gsub(/"/, "\\\"", line)
    gsub(/\?/, "\\?", line) # no trigraphs
    return line
}

function quoted(line) {
    return "    \"" escaped(line) "\\n\"\n"
}
