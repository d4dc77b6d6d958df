"""Looks, without a browser, for what a hostile module put where it can act. Called by tests/cli/injection.bats:
check.py KIND FILE... prints what is wrong with each file, and exits with 1 then."""
import csv, html.parser, json, re, sys, xml.parsers.expat

DRAWN = {"svg", "g", "a", "title", "text", "polygon", "polyline", "path", "ellipse", "line", "circle", "rect", "defs",
         "linearGradient", "stop"}
PLACE = re.compile(r"(?:(?:https?|file):)?[A-Za-z0-9\-._~/:?#\[\]@!$&()*+,;=%]*\Z", re.I)
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def bad_link(address):
    """A relative reference has no colon before its first slash."""
    if not PLACE.match(address):
        return True
    return ":" in re.split(r"[/?#]", address)[0] and not re.match(r"(https?|file):", address, re.I)


def svg(data):
    wrong = []

    def start(name, attributes):
        if name not in DRAWN:
            wrong.append(f"element {name}")
        for key, value in attributes.items():
            if key.lower().startswith("on") or key.lower() == "style" and "stolen" in value:
                wrong.append(f"attribute {key}={value!r}")
            if key.split(":")[-1] in ("href", "src") and bad_link(value):
                wrong.append(f"address {value!r}")
            if "stolen" in value and key not in ("xlink:href", "xlink:title"):
                wrong.append(f"attribute {key}={value!r}")

    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = start
    parser.ProcessingInstructionHandler = lambda target, text: wrong.append(f"instruction {target}")
    parser.Parse(data, True)
    return wrong


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.wrong, self.scripts, self.data = [], 0, False

    def handle_starttag(self, tag, attributes):
        self.scripts += tag == "script"
        self.data |= tag == "script" and ("id", "data") in attributes
        if tag in ("img", "iframe", "object", "embed", "base"):
            self.wrong.append(f"element {tag}")
        for key, value in attributes:
            if key.startswith("on"):
                self.wrong.append(f"attribute {key}={value!r}")
            if key in ("href", "src") and value != "data:,":
                self.wrong.append(f"address {value!r}")

    def handle_data(self, text):
        if self.lasttag == "script" and self.data:
            json.loads(text)
            self.data = False


def page(data):
    """Pages have the scripts of their templates: one each, and hlo-dot's one for its data."""
    parser = Page()
    parser.feed(data.decode())
    if parser.scripts > 2:
        parser.wrong.append(f"{parser.scripts} scripts")
    return parser.wrong


def dot(data):
    """Outside of strings, the grammar of Graphviz is ours alone."""
    text, strings = data.decode(), r'"(?:\\.|[^"\\])*"'
    rest = re.sub(strings, '""', text, flags=re.S)
    wrong = [f"outside of strings: {m[0]!r}" for m in re.finditer(".*stolen.*|.*evil.*|.*<.*", rest)]
    for address in re.findall(rf"URL=({strings})", text):
        if bad_link(address[1:-1].replace("&amp;", "&")):
            wrong.append(f"address {address}")
    return wrong + [f"control character {m[0]!r}" for m in CONTROL.finditer(text)]


def table(data):
    wrong, rows = [], list(csv.reader(data.decode().splitlines()))
    for row in rows:
        if len(row) != len(rows[0]):
            wrong.append(f"{len(row)} cells instead of {len(rows[0])}: {row}")
        for cell in row:
            if cell[:1] in tuple("=+-@\t\r") and not re.match(r"-?[\d.e+-]*\Z", cell):
                wrong.append(f"formula {cell!r}")
            if CONTROL.search(cell):
                wrong.append(f"control character in {cell!r}")
    return wrong


def text(data):
    """Messages and reports: lines are ours, and nothing moves a cursor or starts a workflow command."""
    wrong = []
    for line in data.decode().split("\n"):
        if found := CONTROL.search(line):
            wrong.append(f"control character {found[0]!r} in {line!r}")
        if line.lstrip().startswith("::"):
            wrong.append(f"a workflow command: {line!r}")
    return wrong


def github(data):
    wrong = []
    for line in data.decode().splitlines():
        if not re.match(r"::(?:error|warning|notice) (?:[a-zA-Z]+=[^,:]*,)*title=[a-z-]+::", line) or CONTROL.search(line):
            wrong.append(f"line {line!r}")
    return wrong


def values(data):
    """JSON, of which no member got a name from a value."""
    def pairs(found):
        if len({key for key, _ in found}) != len(found):
            raise ValueError(f"names twice: {[key for key, _ in found]}")
        if any(key == "stolen" for key, _ in found):
            raise ValueError("a member named stolen")
        return dict(found)
    json.loads(data, object_pairs_hook=pairs)
    return []


def lines(data):
    return [w for line in data.splitlines() for w in values(line)]


CHECKS = {"svg": svg, "page": page, "dot": dot, "csv": table, "text": text, "github": github, "json": values, "lines": lines}
FAILURES = (xml.parsers.expat.ExpatError, ValueError, UnicodeDecodeError)

if __name__ == "__main__":
    status = 0
    for file in sys.argv[2:]:
        with open(file, "rb") as opened:
            data = opened.read()
        try:
            wrong = CHECKS[sys.argv[1]](data)
        except FAILURES as failure:
            wrong = [repr(failure)]
        for what in wrong[:5]:
            print(f"{file}: {what}")
        status |= bool(wrong)
    sys.exit(status)
