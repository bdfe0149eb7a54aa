"""A tensor that a side stream still uses goes back to the allocator, which hands its memory out again."""
import sys

import torch

fixed = sys.argv[1] == "fixed"
side, main = torch.cuda.Stream(), torch.cuda.current_stream()
kept = torch.zeros(1 << 22, device="cuda")
for number in range(4):
    part = torch.full((1 << 22,), float(number), device="cuda")  # expect buggy SC-209, verified SC-105|SC-106 proven
    side.wait_stream(main)
    with torch.cuda.stream(side):
        kept += part
    if fixed:
        part.record_stream(side)
    del part  # expect visible SC-114 likely, followed SC-153 likely
torch.cuda.synchronize()
if fixed:
    print(f"{kept.sum().item():.6e}")
