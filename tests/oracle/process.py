"""A process that answers lines with lines, for questions on which XLA may end or hang. Imported by the scripts that ask."""
import os
import re
import select
import subprocess
import sys
import tempfile


class Asked:
    """Runs `SCRIPT --worker` when first asked, and again after it died or took longer than `seconds`."""

    def __init__(self, script, flags, seconds):
        self.command = [sys.executable, script, "--worker"]
        self.env = dict(os.environ, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3", XLA_FLAGS=flags)
        self.seconds, self.process, self.said = seconds, None, tempfile.TemporaryFile()

    def start(self):
        self.said.seek(0)
        self.said.truncate()
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said,
                                        env=self.env, text=True)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None

    def last_words(self):
        """Why it died: the check of XLA that failed, else the signal."""
        self.process.wait()
        self.said.seek(0)
        said = self.said.read().decode(errors="replace")
        checks = re.findall(r"Check failed: .*|LLVM ERROR: .*", said)
        if checks:
            return checks[-1]
        status = self.process.returncode
        return f"signal {-status}" if status < 0 else f"status {status}: {said.strip()[-300:]}"

    def ask(self, line):
        """(answer, None), or (None, why there is none)."""
        if not self.process:
            self.start()
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], self.seconds)
        answer = self.process.stdout.readline().strip() if ready else ""
        if answer:
            return answer, None
        why = f"XLA's process died: {self.last_words()}" if ready else "XLA gave no answer in time"
        self.stop()
        return None, why
