# Made of module.hlo as JSON, a module for each of $payloads: the payload stands before each text and each name. Keys of frontend attributes stay:
# those that no text can have are refused (proto.bats).
def filled($payload): if test("^(text|name)_") then $payload + . elif test("^dGV4d") then @base64d | filled($payload) | @base64 else . end;
$payloads[] as $payload | walk(if type == "string" then filled($payload) else . end)
