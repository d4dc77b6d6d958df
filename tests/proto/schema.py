"""XLA's messages for the protobuf library, made from the tables src/proto/fields.def and enums.def."""
import os
import re

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PACKAGE = "hlo"
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "proto")
F = descriptor_pb2.FieldDescriptorProto
ROW = re.compile(r'HLO_FIELD\((\w+), (\w+), (\d+), (\w+), (\w+), (\w+), "(\w+)"\)')


def lines(name):
    with open(os.path.join(FOLDER, name), encoding="ascii") as table:
        return table.read()


def add_enums(file):
    """Each in a separate message: names of values must differ within one scope."""
    for name in re.findall(r"^HLO_ENUM\((\w+)\)", lines("enums.def"), re.M):
        scope = file.message_type.add(name="Enum_" + name)
        enum = scope.enum_type.add(name=name)
        for of, text, number in re.findall(r'HLO_ENUM_VALUE\((\w+), "(\w+)", (\d+)\)', lines("enums.def")):
            if of == name:
                enum.value.add(name=text, number=int(number))


def add_field(message, name, number, kind, label, of, json_name):
    field = message.field.add(name=name, number=number, json_name=json_name, label=F.LABEL_OPTIONAL)
    field.type = getattr(F, "TYPE_" + kind)
    if kind == "MESSAGE":
        field.type_name = f".{PACKAGE}.{of[len('MESSAGE_'):]}"
    if kind == "ENUM":
        enum = of[len("ENUM_"):]
        field.type_name = f".{PACKAGE}.Enum_{enum}.{enum}"
    if label in ("MANY", "MAP"):
        field.label = F.LABEL_REPEATED
    if label == "MAP":  # protobuf wants the entry's message inside the one that has the map
        outer, inner = of[len("MESSAGE_"):].rsplit("_", 1)
        field.type_name = f".{PACKAGE}.{outer}.{inner}"
    if label == "PRESENT" and kind != "MESSAGE":
        field.proto3_optional = True
        field.oneof_index = len(message.oneof_decl)
        message.oneof_decl.add(name="_" + name)


def make():
    """{name in fields.def: class}"""
    file = descriptor_pb2.FileDescriptorProto(name="hlo.proto", package=PACKAGE, syntax="proto3")
    add_enums(file)
    messages = {}
    names = re.findall(r'^HLO_MESSAGE\((\w+), "', lines("fields.def"), re.M)
    entries = {of[len("MESSAGE_"):] for _, _, _, _, label, of, _ in ROW.findall(lines("fields.def")) if label == "MAP"}
    for name in names:
        if name not in entries:
            messages[name] = file.message_type.add(name=name)
    for name in entries:
        outer, inner = name.rsplit("_", 1)
        messages[name] = messages[outer].nested_type.add(name=inner)
        messages[name].options.map_entry = True
    for message, name, number, kind, label, of, json_name in ROW.findall(lines("fields.def")):
        add_field(messages[message], name, int(number), kind, label, of, json_name)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{name}"))
            for name in names if name not in entries}
