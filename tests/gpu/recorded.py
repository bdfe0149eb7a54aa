"""Recorded footprints against executed ones: what patches note on the GPU, test case by test case, must be what the simulated
device sees when it executes the same launches.

Bytes are compared relative to the allocation that they lie in, of launches that both have, in their order. The two may differ where a
kernel does other things on a GPU than in the simulation (it waits for another one, its threads race for work), so that a test case
counts as wrong only if its kernels do the same on the GPU twice.
"""
import concurrent.futures
import os
import re
import tempfile

import checked

JOBS = 8
LAUNCH = re.compile(r"t\d+: (kernel|graph_launch) .*?(?:launch=(\S+)|$)")
ALLOC = re.compile(r"t\d+: (alloc|pin|host_alloc|variable)\S* (0x[0-9a-f]+) (\d+) .*?call=(\S+)")
FREE = re.compile(r"t\d+: (?:free|unpin)\S* (?:\d+ )?(0x[0-9a-f]+)")
BYTES = re.compile(r"launch_bytes (\d+)(.*)")
NODE = re.compile(r"object=(\d+)")
ACCESS = re.compile(r"(rw|ar|r|w|a) (0x[0-9a-f]+):(\d+)(?:\*(\d+)/(\d+))?@\w+([~?^!]*)")
ROWS_MOST = 1 << 16
KNOWN = {  # why bytes differ that are recorded rightly
    "constant_tables": "constant memory is read, which patches do not see",
    "message_digest": "constant memory is read, which patches do not see",
    "texture_linear": "textures are read, which patches do not see",
    "nbody": "the assembler leaves out parts of loads that nobody uses",
    "called_functions": "the assembler leaves out parts of loads that nobody uses",
    "half_precision": "an atomic of two bytes is a loop that reads and compares",
    "work_queue": "which block takes which item is the GPU's choice",
    "cub_reduce_select": "temporary memory is as large as the device's number of processors has it",
    "thrust_reduce": "temporary memory is as large as the device's number of processors has it",
    "thrust_select": "temporary memory is as large as the device's number of processors has it",
}


class Launch:
    """A launch of a trace: its kernel and shape, and the bytes of each use, by allocation."""

    def __init__(self, name, memory):
        self.name = name
        self.memory = memory  # [(start, bytes, label)] that is live
        self.uses = None
        self.is_bound = False
        self.is_partial = False

    def pieces(self, first, end):
        """(allocation, first, end) of the parts of a range that lie in allocations, relative to these."""
        for start, size, label in self.memory:
            if first < start + size and start < end:
                yield label, max(first, start) - start, min(end, start + size) - start

    def take(self, text):
        self.uses = {}
        self.is_partial = "value=" in text
        for use, base, width, rows, pitch, marks in ACCESS.findall(text):
            self.is_bound |= "~" in marks
            for row in range(min(int(rows or 1), ROWS_MOST)):
                first = int(base, 16) + row * int(pitch or 0)
                for label, at, end in self.pieces(first, first + int(width)):
                    for letter in "r" if use == "ar" else use:  # patches see no difference
                        self.uses.setdefault((label, letter), []).append((at, end))

    def joined(self):
        """The uses as lists of ranges that do not meet."""
        result = {}
        for key, ranges in self.uses.items():
            out = []
            for first, end in sorted(ranges):
                if out and first <= out[-1][1]:
                    out[-1][1] = max(end, out[-1][1])
                else:
                    out.append([first, end])
            result[key] = out
        return result


def read(dump):
    """The launches of a dump by their order and, of a graph's, the number of the node."""
    memory, counts, launches = {}, {}, {}
    for number, line in enumerate(dump.splitlines(), 1):
        if match := ALLOC.match(line):
            kind = (match[1], match[4], match[3])
            counts[kind] = counts.get(kind, 0) + 1
            memory[int(match[2], 16)] = (int(match[3]), (*kind, counts[kind]))
        elif match := FREE.match(line):
            memory.pop(int(match[1], 16), None)
        elif match := LAUNCH.match(line):
            live = [(s, b, label) for s, (b, label) in memory.items()]
            launches[number, 0] = Launch(f"{match[1]} {match[2]}", live)
        elif (match := BYTES.match(line)) and (int(match[1]), 0) in launches:
            launch = launches[int(match[1]), 0]
            if node := NODE.search(match[2]):
                launch = launches[int(match[1]), int(node[1])] = Launch(f"{launch.name} node {node[1]}", launch.memory)
            launch.take(match[2])
    order = {number: at for at, number in enumerate(sorted({number for number, _ in launches}))}
    return {(order[number], node): launch for (number, node), launch in launches.items()}


def without(ranges, others):
    """The parts of ranges that lie in none of the others; both are joined."""
    for low, high in others or []:
        ranges = [part for first, end in ranges or [] for part in ([first, min(end, low)], [max(first, high), end])
                  if part[0] < part[1]]
    return ranges or None


def is_same(key, here, there):
    """Of an executed use and a recorded one: patches see no arrays, and all bytes of a load that leaves gaps between those
    that count (`used_bytes_mask`)."""
    if "Array" in key[0][1]:
        return there is None
    gaps = without(there, here) or [] if key[1] == "r" and not without(here, there) else None
    return here == there or (gaps is not None and all(end - first < 16 for first, end in gaps))


def differences(executed, recorded):
    """(compared, what differs) of the launches that both have."""
    compared, wrong = 0, []
    for number in sorted(set(executed) & set(recorded)):
        a, b = executed[number], recorded[number]
        if (a.uses is None or b.uses is None or a.is_bound or b.is_bound or a.is_partial or b.is_partial
                or a.name != b.name):
            continue
        compared += 1
        x, y = a.joined(), b.joined()
        for key in sorted(set(x) | set(y)):
            # A read of what the launch swaps is a guess, which the executed bytes leave out.
            swapped = x.get((key[0], "a")) if key[1] == "r" else None
            here, there = without(x.get(key), swapped), without(y.get(key), swapped)
            if not is_same(key, here, there):
                wrong.append(f"launch {number[0]} node {number[1]}: {key[1]} of {key[0]}: executed {str(here)[:200]}, "
                             f"recorded {str(there)[:200]}")
    return compared, wrong


def dump_of(prefix, program, device, env, options, folder):
    trace = os.path.join(folder, f"{device}.sct")
    command = os.path.join(prefix, "bin", "streamcheck")
    program = [program] if isinstance(program, str) else program
    result = checked.run([command, "run", f"--device={device}", "--html=no", "--exitcode=0", f"--trace={trace}",
                          *options, "--", *program], dict(os.environ, **env))
    code, out, _ = checked.run([command, "dump", trace], dict(os.environ))
    return result, "" if code else out


def compare(prefix, program, env, device="gpu", options=("--footprints=recorded",)):
    """(launches compared, differences, launches recorded, what streamcheck said when it recorded) of one program."""
    with tempfile.TemporaryDirectory() as folder:
        _, executed = dump_of(prefix, program, "sim", env, [], folder)
        result, recorded = dump_of(prefix, program, device, env, options, folder)
        launches = read(recorded)
        compared, wrong = differences(read(executed), launches)
        if wrong:
            _, again = dump_of(prefix, program, device, env, options, folder)
            if differences(launches, read(again))[1]:
                wrong = []
    return compared, wrong, sum(launch.uses is not None for launch in launches.values()), result


def rows(prefix, programs):
    """(what, how, word, details) of all programs: (path, variables of its environment)."""
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        done = list(pool.map(lambda p: compare(prefix, *p), programs))
    total = had = 0
    for (program, _), (compared, wrong, recorded, result) in zip(programs, done):
        name = os.path.basename(program)
        total += compared
        had += recorded
        for line in wrong:
            print(f"recorded: {name}: {line}", flush=True)
        known = KNOWN.get(name)
        if known and wrong:
            yield name, "recorded", "ok", f"differs: {known}"
        elif wrong or result[0] == 124:
            yield name, "recorded", "FAIL", "; ".join(wrong)[:300] or "it did not end"
    yield ("recorded footprints", f"{len(programs)} programs", "ok" if total else "FAIL",
           f"{had} launches recorded, {total} of them compared with the simulated device")
