"""What recording costs in PyTorch's training loops.

Whole runs of one program differ by a quarter, so processes with and without streamcheck stay alive side by
side and take turns, block by block; the fastest block of each process repeats within two hundredths.
BESIDE names other builds of the library that take turns, too: "NAME=FILE NAME=FILE".
"""
import os
import random
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WORKLOADS = ("perceptron", "transformer")
ROUNDS = 40
PROCESSES = 5  # of each kind


class Process:
    def __init__(self, workload, kind, environment, samples):
        self.kind, self.samples, self.seconds = kind, samples, []
        self.process = subprocess.Popen([sys.executable, os.path.join(HERE, "torch_turns.py"), workload, samples],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=environment)

    def wait_until_ready(self):
        return any(line.strip() == "ready" for line in self.process.stdout)

    def take_turn(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.seconds.append(float(self.process.stdout.readline()))

    def end(self):
        self.process.stdin.close()
        self.process.wait()

    def places(self):
        with open(self.samples + ".places", encoding="utf-8") as file:
            return [(float(us), int(place)) for us, place in map(str.split, file)]

    def objects(self):
        with open(self.samples, encoding="utf-8") as file:
            return {name: float(us) for us, name in (line.rstrip("\n").split(" ", 1) for line in file)}


def start(workload, library, folder):
    kinds = {"alone": dict(os.environ)}
    for name, path in [("recorded", library), *(words.split("=") for words in os.environ.get("BESIDE", "").split())]:
        kinds[name] = dict(os.environ, LD_PRELOAD=path, TMPDIR=folder, STREAMCHECK_OPTIONS="analyze=no")
    return [Process(workload, kind, environment, os.path.join(folder, f"{kind}.{number}"))
            for kind, environment in kinds.items() for number in range(PROCESSES)]


def print_objects(workload, processes):
    """Microseconds of a step in each object, the mean of all processes of a kind."""
    table = {}
    for process in processes:
        for name, us in process.objects().items():
            row = table.setdefault(name, {"alone": 0, "recorded": 0})
            if process.kind in row:
                row[process.kind] += us / PROCESSES
    for name, row in sorted(table.items(), key=lambda item: -max(item[1].values()))[:24]:
        print(f"{workload}: {row['alone']:9.1f} us a step alone, {row['recorded']:9.1f} recorded: {name}")


def write_places(path, processes):
    """Where in our library the time goes, as lines `microseconds of a step, offset in the file`: for `nm` or `addr2line`."""
    sums = {}
    for process in processes:
        for us, place in process.places() if process.kind == "recorded" else ():
            sums[place] = sums.get(place, 0) + us / PROCESSES
    with open(path, "w", encoding="utf-8") as file:
        for place, us in sorted(sums.items()):
            file.write(f"{us:.3f} {place:#x}\n")


def rows(library):
    """(what, how, word, details) for each workload."""
    for workload in WORKLOADS:
        with tempfile.TemporaryDirectory() as folder:
            processes = start(workload, library, folder)
            if not all([p.wait_until_ready() for p in processes]):
                yield "PyTorch's cost", workload, "SKIP", "PyTorch does not run here"
                continue
            order = processes[:]
            for _ in range(ROUNDS):
                random.shuffle(order)
                for process in order:
                    process.take_turn()
            for process in processes:
                process.end()
            print_objects(workload, processes)
            if os.environ.get("OUT"):
                write_places(os.path.join(os.environ["OUT"], f"places-{workload}.txt"), processes)
        kinds = dict.fromkeys(p.kind for p in processes)
        best, middle = ({kind: statistics.mean(of(p.seconds) for p in processes if p.kind == kind)
                         for kind in kinds} for of in (min, statistics.median))
        del kinds["alone"]
        for kind in kinds:
            yield ("PyTorch's cost", f"{workload}, {kind}", "ok",
                   f"best {best[kind] / best['alone']:.3f}x, median {middle[kind] / middle['alone']:.3f}x "
                   f"of {best['alone'] * 1e6:.0f} us a step; {ROUNDS} turns of {PROCESSES} processes each")
