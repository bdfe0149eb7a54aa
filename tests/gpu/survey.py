"""How much of the PTX in installed packages the footprint analysis reads, how much is exact, and which kernels the
simulated device executes.

usage: survey.py PROGRAM; prints one line for each source of kernels.
"""
import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import sysconfig
import tempfile

SHARDS = os.cpu_count() or 1  # each unpacks all images, and reads its share
SECONDS = 200
REASONS = 10  # that are printed
PACKAGES = {"PyTorch": ("torch/lib/*.so*",), "NVIDIA's libraries": ("nvidia/*/lib/*.so*",),
            "CuPy": ("cupy/**/*.so", "cupyx/**/*.so"), "JAX": ("jax*_plugin*/**/*.so",)}

TRITON = '''
import torch, triton, triton.language as tl
@triton.jit
def add(x, y, z, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(z + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)
@triton.jit
def softmax(x, y, stride, n, B: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, B)
    v = tl.load(x + row * stride + at, mask=at < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * stride + at, e / tl.sum(e, axis=0), mask=at < n)
@triton.jit
def product(a, b, c, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    total = tl.zeros((B, B), dtype=tl.float32)
    for k in range(0, n, B):
        t = k + tl.arange(0, B)
        total += tl.dot(tl.load(a + i[:, None] * n + t[None, :]), tl.load(b + t[:, None] * n + j[None, :]))
    tl.store(c + i[:, None] * n + j[None, :], total)
x = torch.ones(1024, 1024, device="cuda")
add[(1024,)](x, x, x, x.numel(), B=1024)
softmax[(1024,)](x, x, 1024, 1000, B=1024)
product[(16, 16)](x, x, x, 1024, B=64)
torch.cuda.synchronize()
@torch.compile
def layer(v, w): return torch.nn.functional.gelu(v @ w).sum(dim=1) + v.softmax(1)[:, 0]
layer(x, x)
torch.cuda.synchronize()
'''

NVRTC = '''
import os, sys
import cupy
from cupy_backends.cuda.libs import nvrtc
texts = []
def keep(program, old=nvrtc.getPTX):
    text = old(program)
    texts.append(text if isinstance(text, bytes) else text.encode())
    with open(os.path.join(sys.argv[1], f"{len(texts)}.ptx"), "wb") as file:
        file.write(texts[-1])
    return text
nvrtc.getPTX = keep
x = cupy.arange(1 << 16, dtype=cupy.float32).reshape(256, 256)
for f in (cupy.sin, cupy.sqrt, cupy.argsort, cupy.cumsum, cupy.transpose, cupy.tril, cupy.diff):
    f(x)
x.sum(axis=0); x.max(axis=1); x.mean(); x.std(); x[::2, 1:] += 1; cupy.where(x > 3, x, -x)
cupy.take(x, cupy.arange(9)); cupy.histogram(x, 10); cupy.convolve(x[0], x[1]); cupy.roll(x, 3)
cupy.RawKernel('extern "C" __global__ void f(float *p, int n)'
               '{ int i = blockDim.x * blockIdx.x + threadIdx.x; if (i < n) p[i] *= 2; }', "f")((9,), (256,), (x, 2000))
'''


def site_folders():
    return {*sys.path, sysconfig.get_paths()["purelib"], sysconfig.get_paths()["platlib"]}


def libraries(patterns):
    found = {os.path.realpath(path) for top in site_folders() for pattern in patterns
             for path in glob.glob(os.path.join(top, pattern), recursive=True)}
    return sorted(path for path in found if os.path.isfile(path))


def add(sums, more):
    for key, value in more.items():
        if isinstance(value, dict):
            add(sums.setdefault(key, {}), value)
        elif key.startswith("slowest"):
            sums[key] = max(sums.get(key, 0), value)
        else:
            sums[key] = sums.get(key, 0) + value


def shard(program, number, files):
    """One share of the texts; None if the program did not end well."""
    try:
        done = subprocess.run([program, str(number), str(SHARDS), *files], capture_output=True,
                              text=True, timeout=SECONDS, check=True)
        return json.loads(done.stdout)
    except (subprocess.SubprocessError, ValueError) as wrong:
        print(f"survey: share {number}: {wrong}", file=sys.stderr)
        return None


def survey(program, files):
    """(sums, shares that failed)."""
    sums, failed = {}, 0
    with concurrent.futures.ThreadPoolExecutor(SHARDS) as pool:
        for got in pool.map(lambda n: shard(program, n, files), range(SHARDS)):
            failed += got is None
            add(sums, got or {})
    return sums, failed


def made(script, folder, pattern, env=None):
    """The PTX that a script leaves in a folder."""
    path = os.path.join(folder, "make.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(script)
    done = subprocess.run([sys.executable, path, folder], capture_output=True, text=True,
                          env=dict(os.environ, **(env or {})), timeout=SECONDS, check=False)
    files = sorted(glob.glob(os.path.join(folder, pattern), recursive=True))
    if not files:
        print(f"survey: exit code {done.returncode}: {done.stdout[-400:]}{done.stderr[-800:]}",
              file=sys.stderr)
    return files


def describe(sums):
    share = 100 * sums["exact_kernels"] / max(1, sums["kernels"])
    executable = 100 * sums["executable"] / max(1, sums["kernels"])
    read = 100 * (1 - sums["with_problems"] / max(1, sums["texts"]))
    return (f"{sums['texts']} texts, {read:.1f} % read whole; {sums['kernels']} kernels, "
            f"{share:.1f} % exact, slowest {sums['slowest_ns'] / 1e6:.0f} ms; the simulated device executes "
            f"{executable:.1f} %")


def frequent(refused):
    """Why kernels are not executed, the most frequent reasons first."""
    return sorted(refused.items(), key=lambda item: -item[1])[:REASONS]


def rows(program):
    """(what, verdict, details) for each source of kernels."""
    with tempfile.TemporaryDirectory() as triton, tempfile.TemporaryDirectory() as nvrtc:
        sources = {name: libraries(patterns) for name, patterns in PACKAGES.items()}
        sources["Triton"] = made(TRITON, triton, "**/*.ptx",
                                 {"TRITON_CACHE_DIR": triton, "TORCHINDUCTOR_CACHE_DIR": triton})
        sources["NVRTC (CuPy)"] = made(NVRTC, nvrtc, "*.ptx", {"CUPY_CACHE_IN_MEMORY": "1", "CUPY_COMPILE_WITH_PTX": "1"})
        for name, files in sources.items():
            sums, failed = survey(program, files) if files else ({}, 0)
            print(f"---- survey {name}\n{json.dumps(sums)}", flush=True)
            for reason, kernels in frequent(sums.get("refused", {})):
                print(f"not executed: {kernels} kernels, {reason}", flush=True)
            if not sums.get("kernels"):
                yield name, "FAIL" if failed else "SKIP", f"no PTX in {len(files)} files"
            else:
                yield name, "FAIL" if failed else "ok", describe(sums)


if __name__ == "__main__":
    for row in rows(sys.argv[1]):
        print(*row, sep=" | ")
