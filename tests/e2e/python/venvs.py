"""Virtual environments for tests, made of wheels that are fetched once and kept in the build folder."""
import os
import shutil
import subprocess
import sys

SKIPPED = 77
PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet")


def fetch(python, folder, *packages, options=()):
    """A folder with the wheels of packages, and of what they need, for an interpreter. Exits with 77 without them.
    `options` of pip: --no-deps leaves out what they need."""
    folder = os.path.join(folder, subprocess.run(
        [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True,
        check=True).stdout.strip() + "-" + packages[0].split("=")[0])
    done = os.path.join(folder, "done")
    wanted = "\n".join(packages)
    if os.path.exists(done):
        with open(done, encoding="utf-8") as file:
            if file.read() == wanted:
                return folder
    shutil.rmtree(folder, ignore_errors=True)
    try:
        subprocess.run([python, *PIP, "download", "--only-binary=:all:", "--retries=1", "--timeout=20",
                        f"--dest={folder}", *options, *packages], check=True, timeout=200)
    except (subprocess.SubprocessError, OSError) as error:
        print(f"SKIPPED, NOTHING WAS CHECKED: {', '.join(packages)} cannot be fetched: {error}")
        sys.exit(SKIPPED)
    with open(done, "w", encoding="utf-8") as file:
        file.write(wanted)
    return folder


def make(python, folder, *wheels, find_links=(), options=()):
    """The interpreter of a new environment in which wheels (files, or names to be found in folders) are installed."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([python, "-m", "venv", folder], check=True)
    own = os.path.join(folder, "bin", "python")
    subprocess.run([own, *PIP, "install", "--no-index", *(f"--find-links={f}" for f in find_links), *options,
                    *wheels], check=True)
    return own
