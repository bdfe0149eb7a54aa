#!/usr/bin/env python3
"""Installs the pages for users, with links that lead somewhere in the installed tree.

usage: pages.py SOURCES FOLDER

The changelog is there twice, as a page and as changelog.gz, where Debian looks for it. A link to a page or file that is not installed becomes its text: pages for developers are in the sources only. Prints
each file that it wrote, one path on each line.
"""
import glob
import gzip
import os
import re
import shutil
import sys

# What is installed, as patterns from the root of the sources; the place below FOLDER is the same, except MOVED.
INSTALLED = ("README.md", "CHANGELOG.md", "LICENSE", "NOTICE", "docs/user/**", "docs/pictures/**", "docs/rules/*.md", "docs/glossary.md",
             "docs/ordering.md", "docs/coverage.md", "docs/ci/*", "packaging/licenses/*")
MOVED = {"docs/ci": "ci", "packaging/licenses": "licenses"}
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


def place_of(path):
    folder, name = os.path.split(path)
    return os.path.join(MOVED.get(folder, folder), name)


def is_installed(path, installed):
    return path in installed or any(other.startswith(path + "/") for other in installed)


def relinked(text, path, installed):
    """The page with its links as they are after installation."""
    def link(match):
        label, target = match.groups()
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        file, hash_, name = target.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(path), file))
        if not is_installed(file, installed):
            return label
        place = MOVED.get(file) or place_of(file)
        return f"[{label}]({os.path.relpath(place, os.path.dirname(place_of(path)) or '.')}{hash_}{name})"

    return LINK.sub(link, text)


def pack(page, place):
    """The page as distributions have it; the same bytes for the same page."""
    with open(page, "rb") as file, open(place, "wb") as packed:
        with gzip.GzipFile("", "wb", 9, packed, mtime=0) as out:
            out.write(file.read())
    os.chmod(place, 0o644)
    print(place)


def main():
    sources, folder = sys.argv[1:3]
    installed = set()
    for pattern in INSTALLED:
        installed |= {os.path.relpath(p, sources) for p in glob.glob(os.path.join(sources, pattern), recursive=True)
                      if os.path.isfile(p)}
    for path in sorted(installed):
        source, place = os.path.join(sources, path), os.path.join(folder, place_of(path))
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if os.path.lexists(place):
            os.remove(place)
        if path.endswith(".md"):
            with open(source, encoding="utf-8") as file:
                text = relinked(file.read(), path, installed)
            with open(place, "w", encoding="utf-8") as file:
                file.write(text)
        else:
            shutil.copyfile(source, place)
        os.chmod(place, 0o755 if path.endswith(".sh") else 0o644)
        print(place)
    pack(os.path.join(folder, "CHANGELOG.md"), os.path.join(folder, "changelog.gz"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
