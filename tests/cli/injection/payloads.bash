# Hostile modules: used by injection.bats and by tests/browser after `load lib`. Needs $folder, that of this file.

# filled PAYLOADS: the module as JSON, a line for each of them.
filled() {
    hlo-opt --passes= --emit=json -o module.json "$folder/module.hlo"
    jq -c --argjson payloads "$1" -f "$folder/fill.jq" module.json
}

# all_payloads: the module with each payload, modules/N.json.
all_payloads() {
    mkdir modules
    filled "$(<"$folder/payloads.json")" | awk '{ file = "modules/" NR ".json"; print >file; close(file) }'
    set -- modules/*
    [ $# -gt 20 ]
}
