# Made of module.hlo as JSON: the payload $payload stands before each text and each name. Keys of frontend attributes stay:
# those that no text can have are refused (proto.bats).
def filled: if test("^(text|name)_") then $payload + . elif test("^dGV4d") then @base64d | filled | @base64 else . end;
walk(if type == "string" then filled else . end)
