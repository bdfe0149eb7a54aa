"""Kernels of the instructions in variants.txt, and the table of what they compute.

usage: kernels.py FOLDER   writes kernels.ptx, kernels.txt (a name and the bytes of its results a line)
                           and operands.bin, which run_kernels takes
"""
import itertools
import lzma
import os
import re
import subprocess
import sys

import pools

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "table.txt.xz")
TYPE = re.compile(r"\.((?:[usbf](?:8|16|32|64)|bf16)(?:x[24])?)(?=\.|$)")
POOL_OF_TYPE = {"u8": "i2", "s8": "i2", "b8": "i2", "u16": "i2", "s16": "i2", "b16": "i2", "u32": "i4", "s32": "i4",
                "b32": "i4", "u64": "i8", "s64": "i8", "b64": "i8", "f16": "f2", "f16x2": "x2", "bf16": "b2",
                "bf16x2": "y2", "f32": "f4", "f64": "f8", "u16x2": "i4", "s16x2": "i4"}
TOKEN = re.compile(r"=[hrqpdz]|\[[msxrogAW]:\w+\]|\[D\]|\[\^\]|\$[rqp]\d+|(?<![\w.])(?:[a-z][1248]|[pazP])(?!\w)")
REGISTERS = {2: "%h", 4: "%r", 8: "%q"}
MARK = 0x600D600D  # a kernel that has run leaves it after its results
HEAD = ".version 8.4\n.target sm_90\n.address_size 64\n"


def expand(text):
    """The words that {x,y} in an opcode stands for."""
    parts = re.split(r"\{([^}]*)\}", text)
    choices = [part.split(",") if i % 2 else [part] for i, part in enumerate(parts)]
    return ["".join(chosen) for chosen in itertools.product(*choices)]


class Variant:
    """One kernel: statements, and what is stored of them."""

    def __init__(self, text, tolerance):
        self.text = text
        self.is_refused = tolerance == ["refused"]
        self.tolerance = [] if self.is_refused else tolerance
        self.results = []  # (bytes, offset) of each
        self.bytes = 0
        self.lines = []
        self.after = []
        self.count = 0
        self.position = 0
        self.operands = []  # (pool, position) of each
        self.types = []
        self.named = {}
        self.memory_operand = ""
        for statement in text.split(";"):
            opcode, _, operands = statement.strip().partition(" ")
            self.types = TYPE.findall(opcode)
            shared = ".shared" in opcode
            operands = TOKEN.sub(lambda m, s=shared: self.operand(m.group(0), s), operands)
            self.lines.append(f"{opcode} {operands};")

    def register(self, width):
        self.count += 1
        return f"{REGISTERS[width]}{self.count}"

    def place(self, width):
        at = self.bytes
        self.results.append((width, at))
        self.bytes += pools.THREADS * 8
        return at

    def address(self, base, at, width):
        index = self.register(8)
        self.lines += [f"mad.wide.u32 {index}, %tid_x, {width}, {base};", f"add.s64 {index}, {index}, {at};"]
        return index

    def pool(self, token):
        if token == "P":
            return "s2" if "bf16" in self.types else "t2"
        if token in ("a", "z"):
            return POOL_OF_TYPE[self.types[-1 if token == "a" else -2]]
        return token

    def load(self, token):
        pool = self.pool(token)
        width = pools.WIDTHS[pool]
        address = self.address("%in", pools.offset(pool, self.position), width)
        register = self.register(width)
        self.operands.append((pool, self.position % pools.POSITIONS))
        self.position += 1
        self.lines.append(f"ld.global.b{8 * width} {register}, [{address}];")
        if token != "p":
            return register
        self.count += 1
        self.lines.append(f"setp.ne.b32 %p{self.count}, {register}, 0;")
        return f"%p{self.count}"

    def shared(self, width):
        """The address of the thread's bytes in shared memory."""
        address = self.register(8)
        self.lines += [f"mov.u64 {address}, room;", f"mad.wide.u32 {address}, %tid_x, {width}, {address};"]
        return address

    def keep(self, address, width, offset=0):
        """Makes what lies in shared memory at last a result."""
        value = self.register(width)
        to = self.address("%out", self.place(width), width)
        self.after += [f"ld.shared.b{8 * width} {value}, [{address}+{offset}];",
                       f"st.global.b{8 * width} [{to}], {value};"]

    def row(self, token):
        address = self.shared(16)
        for i in range(4):
            self.lines.append(f"st.shared.b32 [{address}+{4 * i}], {self.load(token)};")
            self.keep(address, 4, 4 * i)
        self.lines.append("bar.sync 0;")
        self.after.insert(0, "bar.sync 0;")
        return address

    def word(self, kind, token):
        """A word of memory that has a value of a pool at first, and what it has at last is a result."""
        value = self.load(token)
        width = pools.WIDTHS[self.pool(token)]
        if kind == "m":
            address = self.address("%out", self.place(width), width)
            self.lines.append(f"st.global.b{8 * width} [{address}], {value};")
            return address
        address = self.shared(width)
        self.lines.append(f"st.shared.b{8 * width} [{address}], {value};")
        if kind == "s":
            self.keep(address, width)
        return address

    def operand_address(self, kind, token):
        """In the pool itself: the thread's value, 16 bytes of it, or the first one."""
        pool = self.pool(token)
        at = pools.offset(pool, self.position)
        self.position += 1
        if kind == "A":
            return f"%in+{at}"
        return self.address("%in", at, 16 if kind == "W" else pools.WIDTHS[pool])

    def memory(self, token, shared):
        kind = token[1]
        if kind == "^":
            return f"[{self.memory_operand}]"
        if kind == "D":
            return f"[%out+{self.place(4)}]"
        if kind == "x":
            kind = "s" if shared else "m"
        make = {"r": lambda t: self.row(t), "g": lambda t: self.operand_address("g", t),
                "A": lambda t: self.operand_address("A", t), "W": lambda t: self.operand_address("W", t)}
        self.memory_operand = make.get(kind, lambda t: self.word(kind, t))(token[3:-1])
        return f"[{self.memory_operand}]"

    def result(self, kind):
        if kind in "dz":
            pool = POOL_OF_TYPE[self.types[-1 if kind == "d" else -2]]
            kind = {2: "h", 4: "r", 8: "q"}[pools.WIDTHS[pool]]
        width = {"h": 2, "r": 4, "q": 8, "p": 4}[kind]
        address = self.address("%out", self.place(width), width)
        register = value = self.register(width)
        if kind == "p":
            self.count += 1
            register = f"%p{self.count}"
            self.after.append(f"selp.b32 {value}, 1, 0, {register};")
        self.after.append(f"st.global.b{8 * width} [{address}], {value};")
        return register

    def scratch(self, token):
        if token not in self.named:
            self.named[token] = self.register({"r": 4, "q": 8}[token[1]])
        return self.named[token]

    def operand(self, token, shared):
        if token[0] == "=":
            return self.result(token[1])
        if token[0] == "[":
            return self.memory(token, shared)
        if token[0] == "$":
            return self.scratch(token)
        return self.load(token)

    def ptx(self, name):
        n = self.count + 1
        return (f".visible .entry {name}(.param .u64 a, .param .u64 b)\n{{\n"
                f".reg .pred %p<{n}>; .reg .b16 %h<{n}>; .reg .b32 %r<{n}>; .reg .b64 %q<{n}>;\n"
                ".reg .b32 %tid_x; .reg .b64 %in, %out;\n"
                f".shared .align 16 .b8 room[{16 * pools.THREADS}];\n"
                "ld.param.u64 %in, [a];\nld.param.u64 %out, [b];\nmov.u32 %tid_x, %tid.x;\n" +
                "\n".join(self.lines + self.after) + f"\nst.global.b32 [%out+{self.bytes}], {MARK:#x};\nret;\n}}\n")


def read_variants():
    with open(os.path.join(HERE, "variants.txt"), encoding="ascii") as file:
        for line in file:
            line = line.partition("#")[0].strip()
            line, _, tolerance = line.partition("~")
            statements = [part.strip().partition(" ") for part in line.split(";")]
            opcodes = [expand(opcode) for opcode, _, _ in statements]
            # Later statements take the first one's choice, if they have as many.
            for choice in itertools.product(*opcodes) if line else ():
                yield Variant("; ".join(f"{opcode} {rest}".strip() for opcode, (_, _, rest)
                                        in zip(choice, statements)), tolerance.split())


def names(variants):
    return [f"k{i}" for i in range(len(variants))]


def write(folder, variants):
    """What run_kernels takes."""
    def path(name):
        return os.path.join(folder, name)

    with open(path("kernels.ptx"), "w", encoding="ascii") as file:
        file.write(HEAD + "".join(v.ptx(name) for name, v in zip(names(variants), variants)))
    with open(path("kernels.txt"), "w", encoding="ascii") as file:
        file.writelines(f"{name} {v.bytes}\n" for name, v in zip(names(variants), variants))
    with open(path("operands.bin"), "wb") as file:
        file.write(pools.image())


def results_of(variant, data):
    """The values of each result; None: the kernel has not run."""
    if int.from_bytes(data[variant.bytes:variant.bytes + 4], "little") != MARK:
        return None
    return [[int.from_bytes(data[at + i * width:at + (i + 1) * width], "little")
             for i in range(pools.THREADS)] for width, at in variant.results]


def read_results(variants, path):
    """What run_kernels wrote: the results of each variant, in their order."""
    with open(path, "rb") as file:
        return [results_of(variant, file.read(variant.bytes + 8)) for variant in variants]


def run(program, folder, variants, env):
    """Runs all on the device that libcuda.so.1 is: (results of each, error text)."""
    write(folder, variants)
    paths = [os.path.join(folder, name) for name in ("kernels.ptx", "kernels.txt", "operands.bin", "results.bin")]
    done = subprocess.run([program, *paths], env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        return None, done.stderr
    return read_results(variants, paths[-1]), done.stderr


def format_row(variant, results):
    return variant.text + "\t" + "|".join(" ".join(f"{v:x}" for v in values) for values in results) + "\n"


def write_table(path, rows):
    """Of those that have run."""
    with lzma.open(path, "wt", encoding="ascii", preset=9) as file:
        file.writelines(format_row(variant, results) for variant, results in rows if results)


def read_table(path=TABLE):
    """Text of a variant: values of its results."""
    with lzma.open(path, "rt", encoding="ascii") as file:
        rows = (line.rstrip("\n").split("\t") for line in file)
        return {text: [[int(v, 16) for v in values.split()] for values in results.split("|")]
                for text, results in rows}


if __name__ == "__main__":
    write(sys.argv[1], list(read_variants()))
