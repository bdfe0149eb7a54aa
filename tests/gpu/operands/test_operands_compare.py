#!/usr/bin/env python3
"""operands.py finds what a recording contradicts: a documented product of the simulated device, with recordings made up for it.

usage: test_operands_compare.py PREFIX LOADER PROGRAMS
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE)]

import operands  # noqa: E402



def and_set(line):
    """The line, and a memory set of the library over all that it writes."""
    base = re.search(r"\bw (0x[0-9a-f]+)", line).group(1)
    return f"{line}\nt1: set 1 {base} 1048576 context=1 dst_mem=device flags=library call=cuMemsetD8Async"


# What is changed in the recording, and what is to be found: nothing, or a part of a sentence.
CASES = [
    (lambda line: line, None),
    (lambda line: line.replace(" accesses", " peer=4 accesses"), None),  # as patches write it
    (lambda line: line.replace("w 0x", "rw 0x"), None),  # a kernel may read what it writes
    (lambda line: line.replace("*32/256", "*31/256"), "documented as written, not written"),
    (lambda line: and_set(line.replace("*32/256", "*31/256")), None),  # the rest was cleared
    (lambda line: line.replace("[r 0x", "[rw 0x"), "written, not documented"),
    (lambda line: line.replace("*32/256", "*64/128"), "touched, not documented"),
    (lambda line: line.replace("*32/256", "*64/128").replace("@none", "@none~"), None),  # a bound says nothing
    (lambda line: line.replace(" accesses", " value=4 accesses").replace("*32/256", "*31/256"), None),  # a part of it
    (lambda line: line.replace(" accesses", " value=4 accesses").replace("*32/256", "*64/128"), "touched, not documented"),
]


def main():
    prefix, loader, programs = sys.argv[1:4]
    command = os.path.join(prefix, "bin", "streamcheck")
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "t.sct")
        subprocess.run([command, "run", "--device=sim", "--html=no", "--exitcode=0", f"--trace={trace}", "--", loader, "local",
                        os.path.join(programs, "operand_user.so"), "product_with_gaps"], check=True, capture_output=True)
        dump = subprocess.run([command, "dump", trace], check=True, capture_output=True, text=True).stdout
    documented = next(line for line in dump.splitlines() if "call=cublasSgemm_v2 accesses" in line)
    recorded = documented.replace(" value=3 call=cublasSgemm_v2", "")
    wrong = []
    for number, (change, expected) in enumerate(CASES):
        counts, found = operands.check(f"{dump}\n{change(recorded)}\n")
        if counts["cublasSgemm_v2"].calls != 1 or bool(found) != bool(expected) or (expected and expected not in str(found)):
            wrong.append(f"case {number}: {found}")
    print("\n".join(wrong) or f"{len(CASES)} cases")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
