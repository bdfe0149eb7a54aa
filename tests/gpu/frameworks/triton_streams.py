"""Triton kernels and torch.compile in two streams."""
import sys

import torch
import triton
import triton.language as tl

fixed = sys.argv[1] == "fixed"


@triton.jit
def scale(source, target, size, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + at, tl.load(source + at, mask=at < size) * factor, mask=at < size)


size = 1 << 20
x = torch.ones(size, device="cuda")
y, z = torch.empty_like(x), torch.empty_like(x)
torch.cuda.synchronize()
first, second = torch.cuda.Stream(), torch.cuda.Stream()
with torch.cuda.stream(first):
    scale[(size // 1024,)](x, y, size, 2.0, BLOCK=1024)
if fixed:
    second.wait_stream(first)
with torch.cuda.stream(second):
    scale[(size // 1024,)](y, z, size, 3.0, BLOCK=1024)  # expect buggy SC-106 proven, visible SC-106 proven
torch.cuda.synchronize()
if fixed:
    fused = torch.compile(lambda a, b: torch.nn.functional.gelu(a * b).sum())
    print(f"{z.sum().item():.6e} {fused(y, z).item():.6e}")
