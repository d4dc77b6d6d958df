"""Folders of data outside this project, which tests/outside.bash knows: HLO_SHARED, and HLO_CORPUS, HLO_BENCH inside it. Used by the
programs of this folder."""
import os, subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_FIND = '. "$1"; printf "%s\\n" "$HLO_SHARED" "$HLO_CORPUS"'
SHARED, CORPUS = subprocess.run(["bash", "-c", _FIND, "outside", os.path.join(ROOT, "tests", "outside.bash")],
                                capture_output=True, text=True, check=True).stdout.splitlines()
BENCH = os.environ.get("HLO_BENCH") or os.path.join(SHARED, "bench")
