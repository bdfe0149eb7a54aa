"""An installed interpreter of a version ("3.12"), or the end of the test."""
import shutil
import subprocess
import sys


def find(version):
    """Its path; the running one if it is of that version. Exits with 77 if there is none that runs."""
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    path = shutil.which(f"python{version}")
    if path and not subprocess.run([path, "-c", "pass"], capture_output=True, check=False).returncode:
        return path
    print(f"no python{version}")
    sys.exit(77)
