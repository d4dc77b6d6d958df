# Made of module.hlo as JSON: the payload $payload stands before each text and each name.
def filled: if test("^(text|name)_") then $payload + . elif test("^dGV4d") then @base64d | filled | @base64 else . end;
walk(if type == "object" then with_entries(.key |= filled) elif type == "string" then filled else . end)
