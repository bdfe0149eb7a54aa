#!/usr/bin/env python3
"""What the executor does with each instruction of newer.txt, and what the footprint analysis knows of its bytes; and
that ptxas takes them, if it is of CUDA 13.5 or newer.

usage: test_newer.py PTXAS ACCEPTS
"""
import re
import subprocess
import sys

import grammar

VERSION = "9.5"
CUDA = (13, 5)


def read_newer():
    """{target: (executed or refused, bytes, instruction) of each}."""
    found = {}
    target = None
    for word, rest in grammar.read_rows("newer.txt"):
        if word == "target":
            target = rest
            continue
        known, _, text = rest.partition(" ")
        found.setdefault(target, []).extend((word, known, one) for one in grammar.expand_all(text))
    return found


def is_new_enough(ptxas):
    said = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, re.search(r"release (\d+)\.(\d+)", said).groups())) >= CUDA


def check(accepts, module, rows):
    """What is wrong with the answers to instructions of one target."""
    for (verdict, known, text), (why, knows) in zip(rows, grammar.ask(accepts, [text for _, _, text in rows], module)):
        opcode = re.sub(r'^(\.pragma "[^"]*"; )?(@\S+ )?', "", text).partition(".")[0]
        if (verdict == "refused") != bool(why):
            yield f"{text}: is {'refused: ' + why if why else 'executed'}"
        elif why and not why.startswith(opcode) and "%" not in why:
            yield f"{text}: refused without its name: {why}"
        if known != knows:
            yield f"{text}: of its bytes is known: {knows}, not {known}"


def main():
    ptxas, accepts = sys.argv[1:3]
    wrong, count = [], 0
    asks_ptxas = is_new_enough(ptxas)
    for target, rows in read_newer().items():
        module = (VERSION, target)
        count += len(rows)
        wrong += check(accepts, module, rows)
        texts = [text for _, _, text in rows]
        if asks_ptxas:
            wrong += [f"{texts[i]}: ptxas: {why}" for i, why in grammar.refused_by_ptxas(ptxas, texts, module).items()]
    for text in wrong:
        print(text)
    print(f"{count} instructions, {len(wrong)} wrong" + ("" if asks_ptxas else "; ptxas is older, and was not asked"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
