"""The report that README.md begins with: its text, and a picture of its page.

usage: readme.py check|write PREFIX NVCC-FOLDER

PREFIX is an installed streamcheck. The program is early.cu of docs/user/first-hour.md. `write` puts its text report into README.md and
takes the picture (it needs Chromium); `check` fails if the text differs, or if the picture shows other words than the page has now.
"""
import base64
import contextlib
import difflib
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

import browser
import gallery

sys.path.insert(0, os.path.join(gallery.ROOT, "tests", "gates"))
import first_hour  # pylint: disable=wrong-import-position

README = os.path.join(gallery.ROOT, "README.md")
PICTURE = os.path.join(gallery.ROOT, "docs", "pictures", "report.png")
COMMAND = "    $ streamcheck run --device=sim -- ./early\n"
WIDTH, MARGIN, BYTES_MOST = 1060, 6, 150000
WORDS = b"words\0\0\0\0\0"  # the head of a text in UTF-8 that is not compressed
# What depends on the recorder or the C library.
COUNTED = re.compile(r"\d+ (↔ \d+|internal frames?)")


def built(nvcc, folder):
    """The program of the page, compiled."""
    source = next(what for name, what in first_hour.parts(os.path.join(gallery.ROOT, "docs", "user", "first-hour.md")) if name == "early.cu")
    with open(os.path.join(folder, "early.cu"), "w", encoding="utf-8") as file:
        file.write(source)
    subprocess.run([os.path.join(nvcc, "nvcc"), "--cudart", "shared", "-g", "-lineinfo", "-o", "early", "early.cu"], cwd=folder, check=True)
    return "./early"


def chunk(kind, data):
    """A part of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def chunks(data):
    """(kind, data) of each part of a PNG file."""
    at = 8
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        yield kind, data[at + 8:at + 8 + size]
        at += 12 + size


def words_in(picture):
    """The words that a picture carries."""
    return next((d.removeprefix(WORDS).decode() for kind, d in chunks(picture) if kind == b"iTXt"), None)


def words(page):
    """What the picture shows, as text."""
    return COUNTED.sub("N", page.ask("document.querySelector('.finding').innerText.split('The drawing in words')[0]"))


def taken(page, html):
    """A picture of the first finding, down to its drawing, that carries its words."""
    page.size(WIDTH, 900)
    page.open(html)
    top, bottom = (page.ask(f"document.querySelector('.finding{part}').getBoundingClientRect().{edge}")
                   for part, edge in (("", "top"), (" .legend", "bottom")))
    clip = {"x": 0, "y": top - MARGIN, "width": WIDTH, "height": bottom - top + 2 * MARGIN, "scale": 1}
    data = base64.b64decode(page.call("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})["data"])
    head = 8 + 12 + 13  # the signature, and the first part
    return data[:head] + chunk(b"iTXt", WORDS + words(page).encode()) + data[head:]


def complaints(text, readme, picture):
    """What of the README is not as the tool says now."""
    yield from difflib.unified_diff(readme.split("\n"), text.split("\n"), "README.md", "now", lineterm="", n=1)
    kept = gallery.read_bytes(PICTURE)
    if len(kept) > BYTES_MOST:
        yield f"docs/pictures/report.png has {len(kept)} bytes, more than {BYTES_MOST}"
    if picture and words_in(kept) != words_in(picture):
        yield "docs/pictures/report.png shows other words than the page has now: " + words_in(picture)


def with_report(readme, report):
    """The README with this report."""
    before, rest = readme.split(COMMAND)
    end = re.search(r"^\S", rest, re.M).start()
    return before + COMMAND + "".join(f"    {line}".rstrip() + "\n" for line in report.rstrip().split("\n")) + "\n" + rest[end:]


def main():
    mode, prefix, nvcc = sys.argv[1], *map(os.path.abspath, sys.argv[2:4])
    readme, picture = gallery.read(README), None
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        _, report, html = gallery.run(prefix, built(nvcc, folder), folder)
        if browser.find():
            with contextlib.closing(browser.Browser()) as page:
                picture = taken(page, html)
    text = with_report(readme, report)
    if mode == "write":
        if not picture:
            sys.exit(gallery.NO_BROWSER)
        gallery.write({README: text.encode(), PICTURE: picture})
        return 0
    return gallery.told(list(complaints(text, readme, picture)))


if __name__ == "__main__":
    sys.exit(main())
