#!/usr/bin/env python3
"""Lists the members of NVIDIA's parameter structs for every row of interposer/call/api_*.def.

usage: api_members.py GENERATED_CUDA_META_H ROWS... >api_members.h
One line a member, in order: API_MEMBER(symbol, member, 1 if it is a pointer to data else 0).
"""
import pathlib
import re
import sys

OURS = pathlib.Path(__file__).resolve().parents[3] / "interposer/driver/params.h"  # what NVIDIA's header lacks
ROW = re.compile(r"^API0?\((\w+), (?:/\*\*/|(_\w+)),", re.M)
STRUCT = re.compile(r"^typedef struct (cu\w+)_params_st \{(.*?)^\}", re.M | re.S)


def main():
    header, *tables = (open(path, encoding="utf-8").read() for path in sys.argv[1:])
    rows = {base + suffix for table in tables for base, suffix in ROW.findall(table)}
    print("/* Made by api_members.py: what the calls of api.def are given. */")
    for symbol, body in STRUCT.findall(header + OURS.read_text(encoding="utf-8")):
        if symbol not in rows:
            continue
        for line in body.split(";"):
            found = re.search(r"(\**)\s*(\w+)\s*$", line)
            if found:
                print(f"API_MEMBER({symbol}, {found.group(2)}, {int(bool(found.group(1)))})")


if __name__ == "__main__":
    main()
