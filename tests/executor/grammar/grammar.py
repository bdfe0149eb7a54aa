"""Spellings of PTX instructions, and who takes them: ptxas, and the executor; what is known of their bytes."""
import itertools
import os
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
OLDEST = ("8.8", "sm_90a")  # that have all of instructions.txt: version, target
HEAD = """.version {}
.target {}
.address_size 64
.global .align 16 .b8 glob[64];
.const .align 16 .b8 cons[64];
"""
# One kernel, on one line: errors of ptxas have its number.
KERNEL = (".visible .entry k{0}(.param .u64 par) {{ .reg .b8 %b<4>; .reg .b16 %h<16>; .reg .b32 %r<32>; .reg .b64 %q<16>; .reg .b128 %x<4>; "
          ".reg .pred %p<4>; .shared .align 16 .b8 shar[64]; .local .align 16 .b8 loc[64]; "
          "ld.param.u64 %q0, [par]; {2}{1}; L0: ret; }}\n")
LIST = "LIST: .branchtargets L0; "


def expand(text):
    """The texts that {,x,.y} in an opcode stands for; other braces are PTX's."""
    parts = re.split(r"\{((?:,|\.?[A-Za-z0-9])[\w.:,]*)\}", text)
    choices = [part.split(",") if i % 2 else [part] for i, part in enumerate(parts)]
    return ["".join(chosen) for chosen in itertools.product(*choices)]


def read_rows(name):
    """(first word, the rest) of each line of a list."""
    with open(os.path.join(HERE, name), encoding="ascii") as file:
        for line in file:
            line = line.partition("#")[0].strip()
            if line:
                word, _, rest = line.partition(" ")
                yield word, rest


def expand_all(text):
    """The instructions that a row of a list stands for."""
    statements = []
    for statement in text.split("; "):
        guard, space, rest = statement.partition(" ") if statement[0] == "@" else ("", "", statement)
        opcode, blank, operands = rest.partition(" ")
        statements.append([guard + space + one + blank + operands for one in expand(opcode)])
    for chosen in itertools.product(*statements):
        yield "; ".join(chosen)


def read_instructions():
    """(executed or refused, instruction) of each."""
    for verdict, text in read_rows("instructions.txt"):
        for instruction in expand_all(text):
            yield verdict, instruction


def text_of(instructions, module=OLDEST):
    return HEAD.format(*module) + "".join(KERNEL.format(i, text, LIST if "LIST" in text else "")
                          for i, text in enumerate(instructions))


def assemble(ptxas, numbered, folder, module):
    """Why ptxas does not take some of them, by their numbers."""
    path = os.path.join(folder, "kernels.ptx")
    with open(path, "w", encoding="ascii") as file:
        file.write(text_of([text for _, text in numbered], module))
    done = subprocess.run([ptxas, "-O0", "-arch=" + module[1], "-o", path + ".cubin", path], capture_output=True, text=True,
                          check=False)
    first = HEAD.count("\n") + 1
    wrong = {}
    for line, why in re.findall(r"line (\d+); +(?:error|fatal) *: *(.*)", done.stderr):
        wrong.setdefault(numbered[int(line) - first][0], why)
    return wrong, done


def refused_by_ptxas(ptxas, instructions, module=OLDEST):
    """Number of an instruction: why ptxas does not take it."""
    wrong = {}
    with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
        while True:
            left = [(i, text) for i, text in enumerate(instructions) if i not in wrong]
            found, done = assemble(ptxas, left, folder, module)
            if not found:
                break
            wrong.update(found)
    if done.returncode and left:
        raise RuntimeError(done.stderr)
    return wrong


def ask(accepts, instructions, module=OLDEST):
    """(why the executor refuses it, or nothing; what is known of its bytes) of each."""
    done = subprocess.run([accepts], input=text_of(instructions, module), capture_output=True, text=True, check=True)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    answers = {int(name[1:]): (why, known) for name, why, known in rows}
    return [answers[i] for i in range(len(instructions))]


def refused_by_executor(accepts, instructions):
    """Number of an instruction: why the executor does not take it."""
    return {i: why for i, (why, _) in enumerate(ask(accepts, instructions)) if why}
