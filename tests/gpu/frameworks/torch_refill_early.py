"""A loader fills its one pinned buffer again while the copy of the batch before may still read it."""
import sys

import torch

fixed = sys.argv[1] == "fixed"
staging = torch.empty(1 << 20, pin_memory=True)
copied = torch.cuda.Event()
total = torch.zeros((), device="cuda")
for batch in range(4):
    if fixed and batch:
        copied.synchronize()
    staging.fill_(batch + 1.0)
    on_device = staging.to("cuda", non_blocking=True)  # expect buggy SC-102 proven, visible SC-102 proven
    copied.record()
    total += on_device.sum()
result = total.item()
if fixed:
    print(f"{result:.6e}")
