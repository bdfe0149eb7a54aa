"""Traces in text form for the browser tests: hostile names, many findings, many operations."""

HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror=window.hacked=1> <!-- \\u003c &lt;"


def story():
    """A race with an event that is recorded too late, every name full of markup."""
    return "\n".join([
        f'process 7 "app {quoted(HOSTILE)}"',
        f'function f1 1 "{quoted(HOSTILE)}"',
        "alloc d 1024", "alloc p 1024 pinned",
        "stream s1", f'name s1 "{quoted(HOSTILE)}"',
        "record e1 s1", "copy s1 d <- p 1024", "wait s2 e1", "kernel s2 f1 reads d",
        "context_sync c1", "host_read p 4", "free d", "exit 0", ""])


def quoted(text):
    return text.replace("\\", "\\\\").replace('"', '\\"')


def many_findings(count):
    """As many races, each of its own two operations."""
    lines = ["alloc p 4096 pinned"]
    for i in range(count):
        lines += [f"alloc d{i} 4096", f"copy s{1 + i % 6} d{i} <- p 4096",
                  f"copy s{10 + i % 5} p -> d{i} 16" if i % 2 else f"kernel s{10 + i % 5} reads d{i}"]
    return "\n".join(lines + ["context_sync c1", "exit 0", ""])


def stripped(count, places=20):
    """Races of a stripped program, as many as places: streams with names, several kernels."""
    lines = ['process 7 "/opt/bin/solver"', 'map 0x400000 0x1000000 0 "/opt/bin/solver"', "alloc p 4096 pinned"]
    lines += [f'stream s{s}\nname s{s} "queue {s}"' for s in range(1, 9)]
    lines += [f'function f{k} 1 "stage{k}"' for k in range(1, 4)]
    lines += [f"stack {i} frames=[{0x400000 + i * 64}]" for i in range(1, count + 1)]
    for i in range(count):
        use = [f"copy s{5 + i % 4} p -> d{i} 16", f"kernel s{5 + i % 4} f{1 + i % 3} reads d{i}"][i % 2]
        lines += [f"alloc d{i} 4096", f"copy s{1 + i % 4} d{i} <- p 4096 stack=1", f"{use} stack={1 + i % places}"]
    return "\n".join(lines + ["context_sync c1", "exit 0", ""])


def one_cause():
    """Three producers, three consumers, one missing wait; and a race of its own."""
    return "\n".join([*(f"alloc {name} 1024" for name in "abcd"), *(f"kernel s1 writes {name}" for name in "abc"),
                      "kernel s3 writes d", *(f"kernel s2 reads {name}" for name in "abc"), "kernel s4 reads d", "context_sync c1", "exit 0", ""])


def closed_kernels():
    """Kernels known by their parameters only: one pair of places by three functions of CUDA, another, and a rewritten tensor."""
    lines = ['map 0x400000 0x10000 0 "/usr/lib/python3/dist-packages/torch/lib/libtorch.so"', 'function add 1 "_Z3addPf"',
             'function mul 1 "_Z3mulPf"']
    for way, (line, call) in enumerate(((20, ""), (31, "cudaLaunchKernel"), (31, "cuLaunchKernel"), (31, "cuLaunchKernelEx"), (40, ""), (50, "")), 1):
        inner = call and call + "\\t/usr/lib/python3/dist-packages/cuda/bindings/driver.py\\t5\\n"
        lines += [f"stack {way} frames=[{0x400000 + way * 256}]",
                  f'stack {10 + way} - peer={way} python="{inner}step\\t/home/u/train.py\\t{line}\\n"']
    lines += ["alloc d 1024", "alloc w 1024", "alloc p 1024 pinned", "kernel s1 add args d stack=11"]
    for way in (2, 3, 4):
        lines += ["kernel s2 mul args d stack=" + str(10 + way), "record e1 s2", "wait s1 e1",
                  "kernel s1 add args d stack=11"]
    return "\n".join(lines + ["kernel s3 add args d stack=15", "copy s3 w <- p 1024 stack=11", "kernel s2 maybe w stack=16",
                              "context_sync c1", "exit 0", ""])


def many_ops(count):
    """A long, clean run over several streams, and one race in its middle."""
    lines = ["alloc d 4096", "alloc p 4096 pinned", "alloc x 4096 pinned"]
    for i in range(count // 4):
        s = 1 + i % 8
        lines += [f"kernel s{s} step{s}", f"record e{s} s{s}", f"wait s{1 + (i + 1) % 8} e{s}",
                  "host_write x 4"]
        if i == count // 8:
            lines += ["copy s20 d <- p 4096", "kernel s21 reads d"]
    return "\n".join(lines + ["context_sync c1", "exit 0", ""])


class Clock:
    """Lines of a trace with times: of the calls, and of what the device did for them."""

    def __init__(self, rank, start=1000000):
        self.lines, self.now, self.free = [], start, start
        self.add(f'process {100 + rank} "train" object={1 + rank}')
        for line in ("alloc d 4096", "alloc e 4096", "alloc p 4096 pinned", "stream s1", "stream s2"):
            self.call(line)

    def add(self, line):
        self.lines.append(line)

    def call(self, line, took=0):
        self.add(f"{line} time_ns={self.now}")
        self.now += 1500 + took

    def work(self, line, engine, took, alone=True):
        """A call whose work follows the work before, or runs beside it."""
        start = max(self.now + 2000, self.free if alone else 0)
        self.call(line)
        self.add(f"device_time {len(self.lines)} {start} {took} engine={engine}")
        self.free = max(self.free, start + took)

    def wait(self, stream):
        self.add(f"stream_sync {stream} begin time_ns={self.now}")
        self.now = max(self.now, self.free) + 1000
        self.call(f"stream_sync end link={len(self.lines)}")

    def text(self):
        return "\n".join(self.lines + [f"exit 0 time_ns={self.now}", ""])


def timed(rank, start=1000000):
    """A run with times: a kernel beside the copy whose bytes it reads, then the same in order."""
    clock = Clock(rank, start)
    clock.work("copy s1 d <- p 4096", "copy_in", 20000)
    clock.work("kernel s2 f1 reads d writes e", "kernel", 9000, alone=False)
    clock.wait("s1")
    clock.wait("s2")
    clock.work("kernel s2 f1 reads d writes e", "kernel", 9000)
    clock.wait("s2")
    return clock.text()


def ranged():
    """A run with ranges of the program: nested ones of two threads, one of the process, one that never ends."""
    clock = Clock(0)
    clock.call('range_start 1 "epoch 1"')
    clock.call('range_push "step"')
    clock.work("copy s1 d <- p 4096", "copy_in", 20000)
    clock.call('range_push "forward <b>"')
    clock.work("kernel s1 f1 reads d writes e", "kernel", 9000)
    clock.call("range_pop")
    clock.wait("s1")
    clock.call("range_pop")
    clock.call('t2: range_push "loader"')
    clock.call("range_end 1")
    clock.call("t2: set s2 e 64")
    clock.wait("s2")
    return clock.text()


def many_times(count):
    """A long run with times over several streams."""
    clock = Clock(0)
    for i in range(count // 4):
        s = 1 + i % 8
        clock.work(f"kernel s{s} step{s}", "kernel", 1500)
        clock.call(f"record e{s} s{s}")
        clock.call(f"wait s{1 + (i + 1) % 8} e{s}")
        clock.work(f"copy s{s} p <- d 64" if i % 2 else f"set s{s} e 64", "copy_out" if i % 2 else "fill", 900)
    return clock.text()
