"""What the tests of gates share: commands that have to end in a certain way, projects, tables of the sources."""
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SKIPPED = 77


def run(*command, code=0, **more):
    """Runs a command that has to end with `code` (None: any); returns all that it said."""
    got = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    said = got.stdout + got.stderr
    if code is not None and got.returncode != code:
        sys.exit(f"{command} ended with {got.returncode}, not {code}:\n{said}")
    return said


def need(condition, sentence):
    if not condition:
        sys.exit(sentence)


def rows(path, pattern):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return re.findall(pattern, file.read(), re.MULTILINE)


def fresh(folder):
    """The folder, empty. One that is not a test's is never removed, whatever the arguments of a test say."""
    mark = os.path.join(folder, ".made-by-a-test")
    if os.path.lexists(folder):
        is_ours = os.path.exists(mark) or "/tests/gates/" in os.path.realpath(folder)
        need(is_ours or not os.listdir(folder), f"{folder} was not made by a test: remove it yourself")
        shutil.rmtree(folder)
    os.makedirs(folder)
    with open(mark, "w", encoding="utf-8"):
        pass
    return folder


class Project:
    """The sample project, configured anew for each way."""

    def __init__(self, prefix, folder, cmake, cuda_bin):
        self.prefix, self.folder, self.cmake, self.cuda_bin = prefix, folder, cmake, cuda_bin
        fresh(folder)

    def build(self, *options):
        run(self.cmake, "-S", os.path.join(HERE, "sample"), "-B", self.folder,
            f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCUDAToolkit_ROOT={os.path.dirname(self.cuda_bin)}", *options)
        run(self.cmake, "--build", self.folder)

    def test(self, name, passes):
        ctest = os.path.join(os.path.dirname(self.cmake), "ctest")
        return run(ctest, "--test-dir", self.folder, "-R", f"^{name}$", "--output-on-failure",
                   code=0 if passes else 8)
