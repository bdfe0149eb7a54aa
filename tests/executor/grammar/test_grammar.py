#!/usr/bin/env python3
"""What ptxas takes for an instruction, and what the executor does, which must take it or refuse it by its name.

usage: test_grammar.py PTXAS ACCEPTS
"""
import itertools
import random
import re
import sys

import grammar

SHOWN = 40
ORDERS = 5  # of each instruction, beside those of two neighbours


def orders(text, choice):
    """The instruction with the parts of its opcode in some other orders."""
    guard, space, rest = text.partition(" ") if text[0] == "@" else ("", "", text)
    opcode, blank, operands = rest.partition(" ")
    head, *parts = opcode.split(".")
    found = set()
    for i in range(len(parts) - 1):
        found.add((*parts[:i], parts[i + 1], parts[i], *parts[i + 2:]))
    if len(parts) <= 4:
        found.update(itertools.permutations(parts))
    else:
        found.update(tuple(choice.sample(parts, len(parts))) for _ in range(ORDERS))
    found.discard(tuple(parts))
    for order in choice.sample(sorted(found), min(len(found), 2 * ORDERS)):
        yield guard + space + ".".join([head, *order]) + blank + operands


def check_verdicts(ptxas, accepts):
    """Each row of the list: ptxas takes it, and the executor does what the row says."""
    rows = list(grammar.read_instructions())
    texts = [text for _, text in rows]
    wrong = [f"{texts[i]}: ptxas: {why}" for i, why in grammar.refused_by_ptxas(ptxas, texts).items()]
    refused = grammar.refused_by_executor(accepts, texts)
    for i, (verdict, text) in enumerate(rows):
        opcode = re.sub(r"^@\S+ ", "", text).partition(".")[0].partition(" ")[0]
        if (verdict == "refused") != (i in refused):
            wrong.append(f"{text}: is {'refused' if i in refused else 'executed'}, {refused.get(i, '')}")
        elif i in refused and not refused[i].startswith(opcode):
            wrong.append(f"{text}: refused without its name: {refused[i]}")
    return len(rows), wrong


def check_orders(ptxas, accepts):
    """Orders of parts that ptxas takes, the executor takes. Of those that ptxas refuses it may take some."""
    choice = random.Random(1)
    firsts = {}
    for verdict, text in grammar.read_instructions():
        firsts.setdefault(text.partition(".")[0] + str(text.count(".")) + verdict, []).append(text)
    texts = []
    for text in (t for verdict, group in firsts.items() if verdict.endswith("executed") for t in group[:6]):
        if ";" not in text and "/*" not in text:
            texts += orders(text, choice)
    refused = grammar.refused_by_executor(accepts, texts)
    by_ptxas = grammar.refused_by_ptxas(ptxas, texts)
    loose = sum(i not in refused for i in by_ptxas)
    print(f"{len(texts)} orders, {len(texts) - len(by_ptxas)} of them PTX; of the others {loose} are executed")
    return len(texts), [f"{texts[i]}: {why}" for i, why in refused.items() if i not in by_ptxas]


def main():
    wrong = []
    for check in (check_verdicts, check_orders):
        count, found = check(*sys.argv[1:3])
        print(f"{check.__name__}: {count} instructions, {len(found)} wrong")
        wrong += found
    for text in wrong[:SHOWN]:
        print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
