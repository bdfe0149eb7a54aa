"""A result is copied into pinned memory with non_blocking=True and summed at once."""
import sys

import torch

fixed = sys.argv[1] == "fixed"
device = torch.arange(1 << 22, device="cuda", dtype=torch.float32)
host = torch.zeros(1 << 22, pin_memory=True)
torch.cuda.synchronize()
host.copy_(device, non_blocking=True)  # expect buggy SC-101 proven, visible SC-101 proven
if fixed:
    torch.cuda.current_stream().synchronize()
total = host.sum().item()
torch.cuda.synchronize()
if fixed:
    print(f"{total:.6e}")
