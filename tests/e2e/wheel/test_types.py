#!/usr/bin/env python3
"""The package's types are right: usage: test_types.py SOURCES FETCHED   (mypy comes from PyPI, once)"""
import os
import subprocess
import sys
import tempfile

import venvs


def main():
    sources, fetched = map(os.path.abspath, sys.argv[1:3])
    found = venvs.fetch(sys.executable, fetched, "mypy", "pytest>=8", "mcp>=2.3,<3")
    with tempfile.TemporaryDirectory() as folder:
        own = venvs.make(sys.executable, os.path.join(folder, "venv"), "mypy", "pytest", "mcp", find_links=[found])
        return subprocess.run([own, "-m", "mypy", "--strict", "--cache-dir", os.path.join(folder, "cache"),
                               "-p", "streamcheck"], cwd=sources, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
