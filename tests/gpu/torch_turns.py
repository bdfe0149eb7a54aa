"""One process of torch_cost.py: for each line on stdin it runs a block of steps and prints seconds a step.

usage: torch_turns.py WORKLOAD SAMPLES
At the end of stdin the file SAMPLES gets, for each loaded object, how many microseconds of a step the
thread spent in it (by perf_event_open's software clock, every 20 microseconds); and SAMPLES.places for each place
of libstreamcheck.so, as an offset in the file.
"""
import collections
import ctypes
import mmap
import os
import struct
import sys
import time

PERIOD_US = 20
PAGES = 2048
SYS_PERF_EVENT_OPEN = 298
ENABLE, DISABLE = 0x2400, 0x2401
HEAD, TAIL = 1024, 1032  # of struct perf_event_mmap_page
IS_SAMPLE = 9
KERNEL_ADDRESS = 1 << 63


class Sampler:
    """Samples of the calling thread; without the right to take them there are none."""

    def __init__(self):
        attributes = bytearray(128)
        struct.pack_into("IIQQQ", attributes, 0, 1, 128, 0, PERIOD_US * 1000, 1)
        struct.pack_into("Q", attributes, 40, 1)  # disabled at first
        self.libc = ctypes.CDLL(None)
        buffer = (ctypes.c_char * 128).from_buffer(attributes)
        self.fd = self.libc.syscall(SYS_PERF_EVENT_OPEN, buffer, 0, -1, -1, 0)
        self.ring = mmap.mmap(self.fd, (1 + PAGES) * 4096) if self.fd >= 0 else None
        self.addresses = collections.Counter()

    def switch(self, request):
        if self.ring:
            self.libc.ioctl(self.fd, request, 0)

    def take(self):
        if not self.ring:
            return
        head, tail = struct.unpack_from("QQ", self.ring, HEAD)
        while tail < head:
            kind, _, size = struct.unpack_from("IHH", self.ring, 4096 + tail % (PAGES * 4096))
            if kind == IS_SAMPLE:
                at = 4096 + (tail + 8) % (PAGES * 4096)
                self.addresses[struct.unpack_from("Q", self.ring, at)[0]] += 1
            tail += size
        struct.pack_into("Q", self.ring, TAIL, tail)

    def objects(self):
        """Samples of each object, and of each place in our library."""
        ranges = []
        with open("/proc/self/maps", encoding="utf-8") as maps:
            for line in maps:
                fields = line.split()
                if "x" in fields[1]:
                    start, end = (int(word, 16) for word in fields[0].split("-"))
                    ranges.append((start, end, int(fields[2], 16), os.path.basename(fields[5]) if len(fields) > 5 else "?"))
        found, places = collections.Counter(), collections.Counter()
        for address, count in self.addresses.items():
            start, _, offset, name = next((r for r in ranges if r[0] <= address < r[1]), (0, 0, 0, "?"))
            found["the kernel" if address & KERNEL_ADDRESS else name] += count
            if name == "libstreamcheck.so":
                places[address - start + offset] += count
        return found, places


def perceptron(torch):
    layers = [torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512), torch.nn.ReLU(),
              torch.nn.Linear(512, 16)]
    model = torch.nn.Sequential(*layers).to("cuda")
    x, y = torch.randn(512, 256, device="cuda"), torch.randn(512, 16, device="cuda")
    return model, lambda: torch.nn.functional.mse_loss(model(x), y), 20


def transformer(torch, width=128, depth=4, heads=4, batch=8, length=64):
    layers = [torch.nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, activation="gelu",
                                               batch_first=True, norm_first=True) for _ in range(depth)]
    model = torch.nn.Sequential(torch.nn.Embedding(1000, width), *layers,
                                torch.nn.Linear(width, 1000)).to("cuda")
    x = torch.randint(0, 1000, (batch, length), device="cuda")
    y = torch.randint(0, 1000, (batch * length,), device="cuda")
    return model, lambda: torch.nn.functional.cross_entropy(model(x).view(-1, 1000), y), 4


WORKLOADS = {"perceptron": perceptron, "transformer": transformer}


def main():
    sampler = Sampler()
    import torch  # pylint: disable=import-outside-toplevel
    torch.manual_seed(1)
    torch.autograd.set_multithreading_enabled(False)  # all work in the sampled thread
    model, loss, count = WORKLOADS[sys.argv[1]](torch)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def block():
        begin = time.perf_counter()
        for _ in range(count):
            optimizer.zero_grad()
            loss().backward()
            optimizer.step()
        torch.cuda.synchronize()
        return (time.perf_counter() - begin) / count

    for _ in range(8):
        block()
    print("ready", flush=True)
    steps = 0
    for _ in sys.stdin:
        seconds = block()  # without samples, which would slow down what they interrupt
        sampler.switch(ENABLE)
        block()
        sampler.switch(DISABLE)
        sampler.take()
        steps += count
        print(seconds, flush=True)
    for path, found in zip((sys.argv[2], sys.argv[2] + ".places"), sampler.objects()):
        with open(path, "w", encoding="utf-8") as file:
            for name, samples in found.items():
                file.write(f"{samples * PERIOD_US / max(steps, 1):.2f} {name}\n")


main()
