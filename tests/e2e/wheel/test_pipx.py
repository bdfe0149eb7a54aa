#!/usr/bin/env python3
"""The wheel without an environment of one's own: pipx run --spec FILE. usage: test_pipx.py WHEEL_FOLDER   (77: no pipx)"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def main():
    pipx = shutil.which("pipx")
    if not pipx:
        print("skipped: no pipx")
        return SKIPPED
    (wheel,) = glob.glob(os.path.join(os.path.abspath(sys.argv[1]), "streamcheck-*.whl"))
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as home:
        env = {**{k: v for k, v in os.environ.items() if k != "PYTHONPATH"}, "PIPX_HOME": home}
        with open(os.path.join(home, "race.sct.txt"), "w", encoding="utf-8") as file:
            file.write("alloc d 64\nalloc p 64 pinned\ncopy s1 p <- d 64\nhost_read p 4\nexit 0\n")
        for words, code, wanted in ((("rules", "SC-101"), 0, "SC-101"), (("analyze", "--html=no", "race.sct.txt"), 66, "SC-101"),
                                    (("run", "--device=sim", "--html=no", "--", sys.executable, "-c", "1"), 3, "made no CUDA call")):
            done = subprocess.run([pipx, "run", "--spec", wheel, "streamcheck", *words], env=env, cwd=home, capture_output=True, text=True,
                                  check=False, timeout=240)
            said = done.stdout + done.stderr
            if "Failed to upgrade shared libraries" in said:
                print("skipped: pipx could not fetch the pip that it wants\n" + said)
                return SKIPPED
            if done.returncode != code or wanted not in said:
                sys.exit(f"{words} ended with {done.returncode}:\n{said}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
