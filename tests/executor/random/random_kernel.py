"""Random kernels: for each seed one of 15 to 60 statements, always the same one.

The instructions are those of tests/executor/variants.txt whose results are exact. What a kernel computes
does not depend on the order in which threads run: registers begin with constants, NaNs become one NaN,
threads meet at barriers before one reads what another wrote, atomics commute. At the end every value of
every thread is part of a sum of 64 bits; with `dump` the values themselves are stored.

Parameters of a kernel: the operands of pools.py, the results, memory for its own use, a number that is
another one for each launch.
"""
import random
import re
import zlib

import kernels
import pools

PARAMETERS = ("(.param .u64 operands, .param .u64 results, .param .u64 work, .param .u32 salt)")
CELL = 32  # bytes of a thread in `work` and in shared memory
TABLE_WORDS = 64
HEAD = kernels.HEAD + (
    f".const .align 4 .b32 constants[{TABLE_WORDS}] = {{" +
    ", ".join(str(i * 0x9E3779B1 & 0xFFFFFFFF) for i in range(TABLE_WORDS)) + "};\n"
    f".global .align 8 .b64 variables[{TABLE_WORDS}] = {{" +
    ", ".join(f"{i * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF:#x}" for i in range(TABLE_WORDS)) + "};\n")
# Grids and blocks; in those of the first list no warp lacks threads.
WHOLE = (((1, 1, 1), (32, 1, 1)), ((2, 1, 1), (64, 1, 1)), ((1, 1, 1), (256, 1, 1)), ((3, 1, 1), (8, 4, 2)),
         ((1, 2, 2), (16, 8, 1)), ((2, 1, 1), (4, 4, 8)), ((1, 1, 1), (96, 1, 1)))
ODD = (((2, 1, 1), (77, 1, 1)), ((3, 1, 1), (1, 1, 1)), ((1, 2, 1), (5, 7, 3)), ((1, 1, 1), (33, 1, 1)))
LINES_MOST = 400  # after which statements are left out
BLOCK, WARP, LANE = range(3)  # of whom all threads are at this place of the code
BYTES = {"h": 2, "r": 4, "q": 8}
CLASS = {2: "h", 4: "r", 8: "q"}
EXACT_POOLS = ("t2", "s2", "t4", "t8", "e2")  # products need these very values
LEFT_OUT = re.compile(r"(elect|fns|activemask|nanosleep|v(add|sub|absdiff|min|max|avrg|shl|shr|mad|set)\d?)(\.|$)")
# Forms of which ptxas (13.0) makes something else than the PTX manual says:
# - it forgets the guard of testp, and if that of `set` is false, it converts the old value all the same (to f32,
#   or from 16 bits to 32);
NOT_GUARDED = re.compile(r"(testp|set)\.")
# - of fields past the end (in 32 bits) it folds bfi with the length modulo 32, and bfe.s32 to -1; of a number that it
#   knows it folds bfe.s32 with a start that it does not know to 0;
FIELDS = ("bfe", "bfi")
FIELD_NUMBERS = (0, 1, 5, 8, 15)
# - it takes movmatrix of a value that a warp has alike for a value that the warp has alike.
OF_OTHERS = ("movmatrix",)
ROUNDED = re.compile(r"mma\..*\{g4")  # products whose sums are rounded: the kernels of the table have none
CONTRACTED = re.compile(r"(add|sub|mul)\.(?!rn|rz|rm|rp)(.*\.)?b?f\d")  # ptxas may make fma of two of them
FLOATS = ("f16", "f16x2", "bf16", "bf16x2", "f32", "tf32", "f64")
KEEPS_BITS = ("mov", "selp", "slct", "shfl", "movmatrix", "mma")
TAKES_NUMBER = ("add", "sub", "mul", "mad", "min", "max", "and", "or", "xor", "shl", "shr", "setp", "sad")
INPUTS = ("i4", "i4", "i4", "i8", "i8", "i2", "f4", "g4", "w4", "c4", "f8", "g8", "w8", "f2", "x2", "b2", "y2")
TAG = {"f4": "f32", "g4": "f32", "w4": "f32", "c4": "f32", "f8": "f64", "g8": "f64", "w8": "f64", "f2": "f16",
       "b2": "bf16", "x2": "f16x2", "y2": "bf16x2"}


class Operation:
    """A variant whose operands can be any registers."""

    def __init__(self, text):
        self.statements = []
        for statement in text.split(";"):
            opcode, _, operands = statement.strip().partition(" ")
            self.statements.append((opcode, operands, kernels.TYPE.findall(opcode)))
        self.opcode = self.statements[0][0]
        self.name = self.opcode.partition(".")[0]
        self.place = BLOCK if self.name in ("bar", "barrier") else WARP if ".sync" in text else LANE

    def result_type(self):
        parts = [p for p in self.opcode.split(".")[1:] if p in FLOATS or re.fullmatch(r"[usb]\d+|pred|e\dm\dx2", p)]
        return (parts[0] if self.name in ("cvt", "set") else parts[-1]) if parts else ""


def can_be_used(variant):
    text = variant.text
    return not (variant.tolerance or "[" in text or "$" in text or LEFT_OUT.match(text) or ROUNDED.match(text) or
                ", 256" in text or any(CONTRACTED.match(part.strip()) for part in text.split(";")))


def read_operations():
    """Those of one opcode are one list, so that opcodes with many variants are no more frequent."""
    families = {}
    for variant in kernels.read_variants():
        if can_be_used(variant):
            operation = Operation(variant.text)
            families.setdefault((operation.place, operation.name), []).append(operation)
    return {place: [family for (of, _), family in sorted(families.items()) if of == place]
            for place in (BLOCK, WARP, LANE)}


OPERATIONS = read_operations()


class Kernel:
    """One kernel as it grows."""

    def __init__(self, seed, dump=False, without=(), suffix=""):
        self.rng = random.Random(f"kernel {seed}")
        self.name = f"random{seed}{suffix}"
        self.without = set(without)  # statements that are left out, by their numbers
        self.statement = 0
        self.lines = []
        self.starts = []  # first values of registers
        self.count = 0
        self.labels = 0
        self.values = {"h": [], "r": [], "q": [], "p": []}  # (register, type)
        self.fixed = set()  # not to be written
        self.is_odd = self.rng.random() < 0.2
        self.grid, self.block = self.rng.choice(ODD if self.is_odd else WHOLE)
        self.threads = self.block[0] * self.block[1] * self.block[2]
        self.loops = []  # (where `continue` and `break` go) of each around
        self.depth = 0
        self.has_exits = False
        self.place = BLOCK
        self.make(dump)

    # ---- registers ----

    def register(self, kind):
        self.count += 1
        return f"%{kind}{self.count}"

    def emit(self, *lines):
        self.lines += lines

    def value(self, kind, tag=""):
        """A new register that is part of the result."""
        register = self.register(kind)
        self.values[kind].append((register, tag))
        if kind == "p":
            self.starts.append(f"setp.ne.u32 {register}, 0, 0;")
        else:
            self.starts.append(f"mov.b{8 * BYTES[kind]} {register}, {self.rng.getrandbits(14)};")
        return register

    def result(self, kind, tag, taken):
        """A new register, or one that had another value before."""
        known = [r for r, _ in self.values[kind] if r not in self.fixed and r not in taken]
        if known and self.rng.random() < (0.5 if self.depth else 0.15):
            register = self.rng.choice(known)
            self.values[kind] = [(r, tag if r == register else t) for r, t in self.values[kind]]
        else:
            register = self.value(kind, tag)
        taken.add(register)
        return register

    def source(self, kind, tag=""):
        alike = [r for r, t in self.values[kind] if t == tag]
        if alike and self.rng.random() < 0.8:
            return self.rng.choice(alike)
        if not self.values[kind]:
            return self.value(kind)
        return self.rng.choice(self.values[kind])[0]

    def small(self, most):
        """A register with a number from 0 to `most`, which is a power of two less one."""
        register = self.register("r")
        self.emit(f"and.b32 {register}, {self.source('r')}, {most};")
        return register

    def label(self):
        self.labels += 1
        return f"$L{self.labels}"

    # ---- instructions ----

    def operand(self, token, operation, types, taken):
        if token[0] == "=":
            return self.result_operand(token[1], operation, types, taken)
        if token == "P":
            token = "s2" if "bf16" in types else "t2"
        if token in ("a", "z"):
            token = kernels.POOL_OF_TYPE[types[-1 if token == "a" else -2]]
        if token == "p":
            return self.source("p")
        if token in EXACT_POOLS:
            return self.load(token)
        if token == "n4" and operation.name in FIELDS:
            is_number = operation.name == "bfe" or self.rng.random() < 0.5
            return str(self.rng.choice(FIELD_NUMBERS)) if is_number else self.small(15)
        if token == "n4":
            return str(self.rng.choice((0, 1, 5, 8, 31, 32, 40, 255))) if self.rng.random() < 0.5 else self.small(63)
        return self.source(CLASS[pools.WIDTHS[token]], TAG.get(token, ""))

    def result_operand(self, kind, operation, types, taken):
        if kind in "dz":
            kind = CLASS[pools.WIDTHS[kernels.POOL_OF_TYPE[types[-1 if kind == "d" else -2]]]]
        tag = operation.result_type() if kind != "p" else ""
        return self.result(kind, tag if tag in TAG.values() else "", taken)

    def one_nan(self, register, type_):
        """Which NaN an operation gives is not what these kernels are for."""
        p, q = self.register("p"), self.register("p")
        if type_ in ("f32", "tf32"):
            self.emit(f"setp.nan.f32 {p}, {register}, {register};",
                      f"selp.b32 {register}, 0x7FFFFFFF, {register}, {p};")
        elif type_ == "f64":
            self.emit(f"setp.nan.f64 {p}, {register}, {register};",
                      f"selp.b64 {register}, 0x7FFFFFFFFFFFFFFF, {register}, {p};")
        elif type_ in ("f16", "bf16"):
            self.emit(f"setp.nan.{type_} {p}, {register}, {register};",
                      f"selp.b16 {register}, 0x7FFF, {register}, {p};")
        else:
            a, b = self.register("h"), self.register("h")
            self.emit(f"setp.nan.{type_} {p}|{q}, {register}, {register};", f"mov.b32 {{{a}, {b}}}, {register};",
                      f"selp.b16 {a}, 0x7FFF, {a}, {p};", f"selp.b16 {b}, 0x7FFF, {b}, {q};",
                      f"mov.b32 {register}, {{{a}, {b}}};")

    def last_as_number(self, operands, types):
        """With a number as its last operand, if the instruction can have one."""
        last = operands.rpartition(", ")[2]
        if last[:2] in ("%h", "%r", "%q") and self.rng.random() < 0.2:
            number = self.rng.choice((0, 1, 2, 3, 7, 16, 31, 255, 1000, 0x7FFF))
            if types[-1][0] == "s" and self.rng.random() < 0.4:
                number = -number
            return operands[:-len(last)] + str(number)
        return operands

    def operate(self, place=LANE):
        operation = self.rng.choice(self.rng.choice(OPERATIONS[place]))
        guard = ""
        if (place == LANE and len(operation.statements) == 1 and not NOT_GUARDED.match(operation.opcode) and
                self.rng.random() < 0.15):
            guard = self.rng.choice(("@", "@!")) + self.source("p") + " "
        taken, lines = set(), []
        if place == WARP and ".aligned" in operation.opcode:
            self.emit("bar.warp.sync -1;")
        for opcode, operands, types in operation.statements:
            operands = kernels.TOKEN.sub(
                lambda m, t=types: self.operand(m.group(0), operation, t, taken), operands)
            if operation.name in TAKES_NUMBER and types and re.fullmatch(r"[usb]\d\d", types[-1]):
                operands = self.last_as_number(operands, types)
            if operation.name in ("div", "rem") and types[-1][0] in "us":
                operands = self.not_zero(operands, types[-1])
            if operation.name in OF_OTHERS:
                operands = self.each_its_own(operands)
            lines.append(f"{guard}{opcode} {operands};".replace(" ;", ";"))
        self.emit(*lines)
        if operation.result_type() in FLOATS and operation.name not in KEEPS_BITS:
            for register in sorted(taken):
                if register[1] != "p":
                    self.one_nan(register, operation.result_type())

    def not_zero(self, operands, type_):
        last = operands.rpartition(", ")[2]
        register = self.register(last[1])
        self.emit(f"or.b{type_[1:]} {register}, {last}, 1;")
        return operands[:-len(last)] + register

    def each_its_own(self, operands):
        """With a last operand that no two threads are known to have alike."""
        last = operands.rpartition(", ")[2]
        register = self.register("r")
        self.emit(f"xor.b32 {register}, {last}, %thread;")
        return operands[:-len(last)] + register

    # ---- memory ----

    def load(self, pool):
        width = pools.WIDTHS[pool]
        register, address, index = self.register(CLASS[width]), self.register("q"), self.register("r")
        cache = self.rng.choice(("", ".nc", ".ca"))
        self.emit(f"mad.lo.u32 {index}, %thread, {self.rng.randrange(1, 16, 2)}, %salt;",
                  f"and.b32 {index}, {index}, {pools.THREADS - 1};",
                  f"mad.wide.u32 {address}, {index}, {width}, %operands;",
                  f"ld.global{cache}.b{8 * width} {register}, "
                  f"[{address}+{pools.offset(pool, self.rng.randrange(pools.POSITIONS))}];")
        return register

    def take_input(self):
        pool = self.rng.choice(INPUTS)
        loaded = self.load(pool)
        kind = loaded[1]
        register = self.value(kind, TAG.get(pool, ""))
        if pool == "i4":
            self.emit(f"xor.b32 {register}, {loaded}, %salt;")
        else:
            self.emit(f"mov.b{8 * BYTES[kind]} {register}, {loaded};")

    def cell(self):
        """A place that the thread has for itself: (state space, address)."""
        space = self.rng.choice(("global", "shared", "local", "", "", "param"))
        if space == "":
            return "", self.rng.choice(("%cell", "%inside", "%own"))
        if space == "param":
            return "", "%cell"
        return "." + space, {"global": "%cell", "shared": "%room", "local": "frame"}[space]

    def use_cell(self):
        space, address = self.cell()
        kind = self.rng.choice("hrq")
        bits, count = 8 * BYTES[kind], self.rng.choice((1, 1, 2, 4))
        if bits * count > 128:
            count = 1
        offset = self.rng.randrange(0, CELL, bits * count // 8)
        data = ", ".join(self.source(kind) for _ in range(count))
        narrow = self.rng.choice((8, bits)) if count == 1 else bits
        self.emit(f"st{space}{f'.v{count}' if count > 1 else ''}.b{narrow} [{address}+{offset}], "
                  f"{f'{{{data}}}' if count > 1 else data};")
        if self.rng.random() < 0.8:
            self.read_cell(space, address)

    def read_cell(self, space, address):
        bits, count = self.rng.choice((8, 16, 32, 64)), self.rng.choice((1, 1, 2, 4))
        if bits * count > 128:
            count = 1
        kind = self.rng.choice([k for k in "hrq" if 8 * BYTES[k] >= bits])
        offset, taken = self.rng.randrange(0, CELL, bits * count // 8), set()
        data = ", ".join(self.result(kind, "", taken) for _ in range(count))
        self.emit(f"ld{space}{f'.v{count}' if count > 1 else ''}.{self.rng.choice('us')}{bits} "
                  f"{f'{{{data}}}' if count > 1 else data}, [{address}+{offset}];")

    def use_frame(self):
        """Local memory by an index."""
        index, at = self.small(7), self.register("r")
        self.emit(f"shl.b32 {at}, {index}, 2;", f"add.u32 {at}, {at}, %frame;",
                  f"st.local.b32 [{at}], {self.source('r')};",
                  f"ld.local.u32 {self.result('r', '', set())}, [frame+{4 * self.rng.randrange(8)}];")

    def read_table(self):
        index, at = self.small(TABLE_WORDS - 1), self.register("q")
        if self.rng.random() < 0.5:
            self.emit(f"mov.u64 {at}, constants;", f"mad.wide.u32 {at}, {index}, 4, {at};",
                      f"ld.const.u32 {self.result('r', '', set())}, [{at}];")
        else:
            self.emit(f"mov.u64 {at}, variables;", f"mad.wide.u32 {at}, {index}, 8, {at};",
                      f"ld.global.u64 {self.result('q', '', set())}, [{at}];")

    def own_atomic(self):
        """On memory of the thread itself, so that what was there before is known."""
        space, address = self.rng.choice(((".global", "%cell"), (".shared", "%room"), ("", "%inside")))
        kind = self.rng.choice("rq")
        bits, offset = 8 * BYTES[kind], self.rng.randrange(0, CELL, 8)
        name = self.rng.choice(("add.u", "min.s", "max.s", "min.u", "max.u", "and.b", "or.b", "xor.b", "exch.b",
                                "cas.b", "inc.u", "dec.u"))
        operand = self.source(kind) + (f", {self.source(kind)}" if name[:3] == "cas" else "")
        if name in ("inc.u", "dec.u"):
            kind, bits, operand = "r", 32, self.source("r")
        self.emit(f"atom{space}.{name}{bits} {self.result(kind, '', set())}, [{address}+{offset}], {operand};")

    def barrier(self):
        number, counted = self.rng.randrange(16), self.threads % 32 == 0 and self.rng.random() < 0.5
        self.emit(f"bar.sync {number}{f', {self.threads}' if counted else ''};")

    def exchange(self):
        """Another thread's value."""
        kind = self.rng.choice("hrq")
        bits, other, at = 8 * BYTES[kind], self.register("r"), self.register("r")
        self.barrier()
        self.emit(f"st.shared.b{bits} [%room], {self.source(kind)};")
        self.barrier()
        self.emit(f"add.u32 {other}, %tid_flat, {self.rng.randrange(self.threads)};",
                  f"rem.u32 {other}, {other}, {self.threads};",
                  f"mad.lo.u32 {at}, {other}, {CELL}, %shared;",
                  f"ld.shared.b{bits} {self.result(kind, '', set())}, [{at}];")
        self.barrier()

    def together(self):
        """All threads of the block change one word, in any order."""
        name, bits = self.rng.choice((("add.u", 32), ("add.u", 64), ("min.s", 32), ("max.u", 32), ("and.b", 32),
                                      ("or.b", 64), ("xor.b", 32), ("min.u", 64), ("inc.u", 32), ("add.f", 32)))
        space, address = self.rng.choice(((".shared", "%common"), (".global", "%meeting"), ("", "%meeting")))
        kind = CLASS[bits // 8]
        operand = self.source(kind)
        self.barrier()
        self.emit(f"st{space}.b{bits} [{address}], {self.rng.choice((0, 0, 77))};")
        self.barrier()
        if name == "inc.u":
            operand = "0x7FFFFFFF"
        if name == "add.f":
            operand = self.small(255)
            self.emit(f"cvt.rn.f32.u32 {operand}, {operand};")
        guard = f"@{self.source('p')} " if self.rng.random() < 0.5 else ""
        self.emit(f"{guard}red{space}.{name}{bits} [{address}], {operand};")
        self.barrier()
        self.emit(f"ld{space}.b{bits} {self.result(kind, '', set())}, [{address}];")
        self.barrier()

    # ---- flow ----

    def condition(self):
        """A predicate, and of whom all threads have it alike."""
        p = self.register("p")
        alike = self.rng.choice((BLOCK, WARP, LANE, LANE, LANE))
        if alike == LANE:
            self.emit(f"setp.{self.rng.choice(('lt', 'ne', 'ge'))}.u32 {p}, {self.small(self.rng.choice((1, 3, 31)))}, "
                      f"{self.rng.choice((0, 1, 1, 2))};")
        else:
            bits = self.register("r")
            self.emit(f"and.b32 {bits}, {'%warp' if alike == WARP else '%salt'}, {self.rng.choice((1, 2))};",
                      f"setp.eq.u32 {p}, {bits}, 0;")
        return p, alike

    def inside(self, place, statements):
        outer = self.place
        self.place = max(outer, place)
        self.depth += 1
        for _ in range(self.rng.randint(1, statements)):
            self.step()
        self.depth -= 1
        self.place = outer

    def branch(self):
        p, alike = self.condition()
        other, end = self.label(), self.label()
        self.emit(f"@{self.rng.choice(('', '!'))}{p} bra {other};")
        self.inside(alike, 4)
        if self.rng.random() < 0.6:
            self.emit(f"bra{self.rng.choice(('', '.uni'))} {end};", f"{other}:")
            self.inside(alike, 4)
            self.emit(f"{end}:")
        else:
            self.emit(f"{other}:")

    def switch(self):
        which, labels, end = self.small(3), [self.label() for _ in range(3)], self.label()
        for i, label in enumerate(labels):
            p = self.register("p")
            self.emit(f"setp.eq.u32 {p}, {which}, {i};", f"@{p} bra {label};")
        self.emit(f"bra {end};")
        for label in labels:
            self.emit(f"{label}:")
            self.inside(LANE, 2)
            if self.rng.random() < 0.6:
                self.emit(f"bra {end};")
        self.emit(f"{end}:")

    def loop(self):
        again, next_, end = self.label(), self.label(), self.label()
        i, p, turns, place = self.value("r"), self.register("p"), str(self.rng.randint(1, 5)), BLOCK
        self.fixed.add(i)
        if self.rng.random() < 0.7:
            turns, place = self.small(7), LANE
        self.emit(f"mov.u32 {i}, 0;", f"{again}:")
        if self.rng.random() < 0.5:
            self.emit(f"setp.ge.u32 {p}, {i}, {turns};", f"@{p} bra {end};")
        self.loops.append((next_, end))
        if place == LANE:
            self.leave_loop()
        self.inside(place, 5)
        if place == LANE:
            self.leave_loop()
        self.loops.pop()
        self.emit(f"{next_}:", f"add.u32 {i}, {i}, 1;", f"setp.lt.u32 {p}, {i}, {turns};", f"@{p} bra {again};",
                  f"{end}:")

    def leave_loop(self):
        """Some threads go on with the next turn, or leave the loop."""
        if not self.loops or self.rng.random() < 0.5:
            return
        p = self.register("p")
        self.emit(f"setp.eq.u32 {p}, {self.small(3)}, 0;",
                  f"@{p} bra {self.rng.choice(self.loops[-1])};")

    def by_ballot(self):
        """Only the lanes with a predicate, which know each other."""
        p, votes, end = self.register("p"), self.register("r"), self.label()
        self.emit(f"setp.ne.u32 {p}, {self.small(3)}, 0;", f"vote.sync.ballot.b32 {votes}, {p}, -1;",
                  f"@!{p} bra {end};")
        choice = self.rng.randrange(3)
        if choice == 0:
            self.emit(f"redux.sync.{self.rng.choice(('add.u32', 'min.s32', 'xor.b32'))} "
                      f"{self.result('r', '', set())}, {self.source('r')}, {votes};")
        elif choice == 1:
            self.emit(f"match.any.sync.b32 {self.result('r', '', set())}, {self.small(3)}, {votes};")
        else:
            self.emit(f"vote.sync.any.pred {self.result('p', '', set())}, {self.source('p')}, {votes};")
        self.emit(f"{end}:")

    def exit_some(self):
        """What these threads have by now is their part of the result."""
        p = self.register("p")
        self.has_exits = True
        self.emit(f"setp.eq.u32 {p}, {self.small(7)}, 0;",
                  f"@{p} st.global.b8 [%cell+{CELL}], 1;", f"@{p} bra $END;")

    def step(self, statement=None):
        self.statement += 1
        if len(self.lines) > LINES_MOST:
            return
        before = len(self.lines)
        (statement or self.rng.choice(self.choices()))()
        if self.statement in self.without:
            del self.lines[before:]

    def choices(self):
        """What can be the next statement, as often as it should be."""
        out = [self.operate] * 24 + [self.take_input] * 2 + [self.use_cell] * 3 + [self.own_atomic, self.read_table,
                                                                                     self.use_frame]
        if self.depth < 3:
            out += [self.branch] * 3 + [self.switch]
        if len(self.loops) < 2 and self.depth < 3:
            out += [self.loop] * 2
        if self.place <= WARP and not self.is_odd and not self.has_exits:
            out += [lambda: self.operate(WARP)] * 5 + [self.by_ballot]
        if self.place == BLOCK and not self.has_exits:
            out += [self.exchange, self.together, lambda: self.operate(BLOCK)]
        return out

    # ---- the whole ----

    def make(self, dump):
        for _ in range(self.rng.randint(4, 9)):
            self.step(self.take_input)
        self.value("p")
        for _ in range(self.rng.randint(8, 40)):
            self.step()
        if self.rng.random() < 0.2:
            self.exit_some()
            for _ in range(5):
                self.step()
        self.body = self.lines
        self.lines = []
        if dump:
            self.dump()
        else:
            self.sum_up()
        self.ending = self.lines

    def all_values(self):
        return [register for kind in "hrqp" for register, _ in self.values[kind]]

    def widened(self, register, to):
        if register[1] == "p":
            return f"selp.b64 {to}, 1, 0, {register};"
        if register[1] == "q":
            return f"mov.b64 {to}, {register};"
        return f"cvt.u64.u{8 * BYTES[register[1]]} {to}, {register};"

    def sum_up(self):
        self.emit("cvt.u64.u32 %sum, %thread;")
        for register in self.all_values():
            self.emit(self.widened(register, "%wide"), "mad.lo.u64 %sum, %sum, 0x9E3779B97F4A7C15, %wide;")
        self.emit("shr.u64 %wide, %sum, 29;", "xor.b64 %sum, %sum, %wide;",
                  "mul.lo.u64 %sum, %sum, 0xBF58476D1CE4E5B9;", "shr.u64 %wide, %sum, 32;",
                  "xor.b64 %sum, %sum, %wide;", "red.global.add.u64 [%results], %sum;")

    def dump(self):
        values = self.all_values()
        self.emit(f"mad.wide.u32 %results, %thread, {8 * len(values)}, %results;")
        for i, register in enumerate(values):
            self.emit(self.widened(register, "%wide"), f"st.global.u64 [%results+{8 * i}], %wide;")

    def prologue(self):
        """The thread's numbers and its places in memory, all zero."""
        blocks = "mad.lo.u32 %blockid, %ctaid_z, %nctaid_y, %ctaid_y; mad.lo.u32 %blockid, %blockid, " \
                 "%nctaid_x, %ctaid_x;"
        return [
            "ld.param.u64 %operands, [operands]; ld.param.u64 %results, [results];",
            "ld.param.u64 %work, [work]; ld.param.u32 %salt, [salt];",
            *(f"mov.u32 %{name}_{d}, %{name}.{d};" for name in ("tid", "ntid", "ctaid", "nctaid") for d in "xyz"),
            "mad.lo.u32 %tid_flat, %tid_z, %ntid_y, %tid_y;", "mad.lo.u32 %tid_flat, %tid_flat, %ntid_x, %tid_x;",
            "shr.u32 %warp, %tid_flat, 5;", blocks, f"mad.lo.u32 %thread, %blockid, {self.threads}, %tid_flat;",
            f"mad.wide.u32 %meeting, %blockid, 16, %work; add.u64 %work, %work, {16 * 16};",
            f"mad.wide.u32 %cell, %thread, {CELL + 16}, %work;",
            f"mov.u32 %shared, room; mad.lo.u32 %room, %tid_flat, {CELL}, %shared; mov.u32 %common, common;",
            "cvt.u64.u32 %inside, %room; cvta.shared.u64 %inside, %inside;",
            "mov.u32 %frame, frame; cvt.u64.u32 %own, %frame; cvta.local.u64 %own, %own;",
            *(f"st{space}.b64 [{address}+{i}], 0;" for space, address in
              ((".global", "%cell"), (".shared", "%room"), (".local", "frame")) for i in range(0, CELL, 8)),
        ]

    def ptx(self):
        n = self.count + 1
        named32 = [f"%{name}_{d}" for name in ("tid", "ntid", "ctaid", "nctaid") for d in "xyz"]
        named32 += ["%tid_flat", "%warp", "%thread", "%salt", "%shared", "%room", "%common", "%frame", "%blockid"]
        named64 = ["%operands", "%results", "%work", "%cell", "%meeting", "%inside", "%own", "%sum", "%wide"]
        return "\n".join([
            f".visible .entry {self.name}{PARAMETERS}", "{",
            f".reg .pred %p<{n}>; .reg .b16 %h<{n}>; .reg .b32 %r<{n}>; .reg .b64 %q<{n}>;",
            f".reg .b32 {', '.join(named32)};", f".reg .b64 {', '.join(named64)};",
            f".shared .align 16 .b8 room[{CELL * self.threads}]; .shared .align 8 .b64 common;",
            f".local .align 16 .b8 frame[{CELL}];",
            *self.prologue(), *self.starts, *self.body, "$END:", *self.ending, "ret;", "}", ""])

    def result_bytes(self, dump):
        blocks = self.grid[0] * self.grid[1] * self.grid[2]
        return blocks * self.threads * len(self.all_values()) * 8 if dump else 8

    def checksum(self):
        return zlib.crc32(self.ptx().encode())
