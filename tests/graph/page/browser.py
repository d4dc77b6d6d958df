"""A headless Chromium that tests drive: its protocol over a pipe, by the standard library alone. Called by the other
scripts here. Browser() starts one process; Browser.page() gives a page, which takes real mouse and key events."""
import base64, fcntl, json, os, pathlib, queue, shutil, subprocess, sys, tempfile, threading, time, urllib.parse

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 120  # seconds: a limit for what hangs, far from what anything takes
KEYS = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Backspace": 8, "Tab": 9}


def program():
    return next((found for found in map(shutil.which, NAMES) if found), None)


class Failure(Exception):
    pass


class Unusable(Exception):
    """The browser does not start here: nothing is known of pages."""


class Browser:
    def __init__(self, width=1400, height=900):
        self.size = (width, height)
        self.home = tempfile.mkdtemp(prefix="page-test-")
        to_browser, from_browser = os.pipe(), os.pipe()
        inherited = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 64) for end in (to_browser[0], from_browser[1])]
        self.complaints = open(os.path.join(self.home, "stderr"), "w+b")
        self.process = subprocess.Popen(
            [program(), "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions", "--force-device-scale-factor=1",
             f"--user-data-dir={self.home}/profile", f"--window-size={width},{height}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=self.complaints, stderr=self.complaints, close_fds=False, start_new_session=True,
            preexec_fn=lambda: (os.dup2(inherited[0], 3), os.dup2(inherited[1], 4)))
        for end in (to_browser[0], from_browser[1], *inherited):
            os.close(end)
        self.out, self.input = os.fdopen(to_browser[1], "wb"), os.fdopen(from_browser[0], "rb")
        self.messages, self.answers, self.pages, self.last = queue.Queue(), {}, {}, 0
        threading.Thread(target=self.read, daemon=True).start()

    def __enter__(self):
        try:
            self.call("Browser.getVersion")
        except (Failure, OSError):
            complaints = self.complaint()
            self.close()
            raise Unusable(f"{program()} does not start: {complaints}")
        return self

    def complaint(self):
        self.complaints.seek(0)
        lines = self.complaints.read().decode(errors="replace").splitlines()
        return lines[-1] if lines else "it prints nothing"

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            self.call("Browser.close")
            self.process.wait(20)
        except (Failure, OSError, subprocess.TimeoutExpired):
            os.killpg(self.process.pid, 9)
            self.process.wait()
        for file in (self.out, self.input, self.complaints):
            try:
                file.close()
            except OSError:
                pass
        shutil.rmtree(self.home, ignore_errors=True)

    def read(self):
        rest = b""
        while part := self.input.read1(1 << 20):
            *whole, rest = (rest + part).split(b"\0")
            for text in whole:
                self.messages.put(json.loads(text))
        self.messages.put(None)

    def take(self, deadline):
        """Waits for one message; events go to their pages."""
        try:
            message = self.messages.get(timeout=max(0.001, deadline - time.monotonic()))
        except queue.Empty:
            return False
        if message is None:
            raise Failure("the browser has ended")
        if "id" in message:
            self.answers[message["id"]] = message
        elif message.get("sessionId") in self.pages:
            self.pages[message["sessionId"]].event(message)
        return True

    def call(self, method, session=None, **parameters):
        self.last += 1
        number, message = self.last, {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self.out.write(json.dumps(message).encode() + b"\0")
        self.out.flush()
        deadline = time.monotonic() + PATIENCE
        while number not in self.answers:
            if not self.take(deadline) and time.monotonic() > deadline:
                raise Failure(f"no answer to {method}")
        answer = self.answers.pop(number)
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def page(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        return Page(self, self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"], target)


class Page:
    def __init__(self, browser, session, target):
        self.browser, self.session, self.target, self.errors, self.loaded = browser, session, target, [], 0
        browser.pages[session] = self
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")
        width, height = browser.size
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def event(self, message):
        method, values = message["method"], message["params"]
        if method == "Page.loadEventFired":
            self.loaded += 1
        elif method == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Log.entryAdded" and values["entry"]["level"] == "error":
            self.errors.append(values["entry"]["text"] + " " + values["entry"].get("url", ""))
        elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning"):
            self.errors.append(str([argument.get("value") for argument in values["args"]]))

    def open(self, path, fragment=""):
        """Returns the seconds until the page was drawn first."""
        before, self.errors = self.loaded, []
        address = pathlib.Path(path).resolve().as_uri() + (f"#{urllib.parse.quote(fragment)}" if fragment else "")
        started = time.monotonic()
        self.call("Page.navigate", url=address)
        while self.loaded == before:
            if not self.browser.take(started + PATIENCE) and time.monotonic() > started + PATIENCE:
                raise Failure(f"{path} does not load")
        self.settle()
        return time.monotonic() - started

    def settle(self):
        """Until what is pending has been drawn."""
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise Failure(f"{expression}: {details.get('exception', {}).get('description', details['text'])}")
        return result["result"].get("value")

    def text(self, selector):
        return self.value(f"document.querySelector({json.dumps(selector)}).innerText")

    def wait(self, expression, what):
        deadline = time.monotonic() + PATIENCE
        while not self.value(expression):
            if time.monotonic() > deadline:
                raise Failure(f"never happened: {what}")
            time.sleep(0.02)

    # ---- the mouse and the keyboard ----

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y, times=1):
        self.mouse("mouseMoved", x, y)
        for count in range(1, times + 1):
            self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=count)
            self.mouse("mouseReleased", x, y, button="left", clickCount=count)
        self.settle()

    def drag(self, x, y, to_x, to_y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        for step in range(1, 5):
            self.mouse("mouseMoved", x + (to_x - x) * step / 4, y + (to_y - y) * step / 4, button="left", buttons=1)
        self.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1)
        self.settle()

    def wheel(self, x, y, amount):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=amount)
        self.settle()

    def click_on(self, selector, number=0):
        at = self.value(f"""(() => {{ const e = document.querySelectorAll({json.dumps(selector)})[{number}];
            if (!e) return null; e.scrollIntoView({{block: "nearest"}}); const r = e.getBoundingClientRect();
            return [r.x + r.width / 2, r.y + r.height / 2]; }})()""")
        if not at:
            raise Failure(f"there is no {selector} {number}")
        self.click(*at)

    def key(self, name, **more):
        code = KEYS.get(name, ord(name[0].upper()) if len(name) == 1 else 0)
        text = name if len(name) == 1 else "\r" if name == "Enter" else ""
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, windowsVirtualKeyCode=code, text=text, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name, windowsVirtualKeyCode=code, **more)
        self.settle()

    def type(self, text):
        for letter in text:
            self.call("Input.dispatchKeyEvent", type="keyDown", key=letter, text=letter)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=letter)
        self.settle()

    # ---- what is on the screen ----

    def prefer(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.settle()

    def picture(self, path):
        time.sleep(0.3)  # what is left out while the drawing moves
        self.settle()
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def pixel(self, x, y):
        """Red, green, blue of a place of the window that the drawing covers."""
        return self.value(f"""(() => {{ const c = document.getElementById("scene"), r = c.getBoundingClientRect();
            return [...c.getContext("2d").getImageData({x} - r.x, {y} - r.y, 1, 1).data].slice(0, 3); }})()""")


if __name__ == "__main__":  # browser.py PAGE PICTURE [EXPRESSION...]: a picture, for those who look
    with Browser() as browser:
        page = browser.page()
        page.open(sys.argv[1])
        for expression in sys.argv[3:]:
            page.value(expression)
        page.picture(sys.argv[2])
        print("\n".join(page.errors) or "no errors")
