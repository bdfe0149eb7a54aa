"""A tensor of PyTorch is used by CuPy, in CuPy's stream; PyTorch writes it again without an event between them."""
import sys

import cupy
import torch

fixed = sys.argv[1] == "fixed"
size = 1 << 22
main, stream = torch.cuda.Stream(), cupy.cuda.Stream(non_blocking=True)
with torch.cuda.stream(main):
    values = torch.ones(size, device="cuda")
main.synchronize()
shared = cupy.asarray(values)
with stream:
    doubled = shared * 2
if fixed:
    main.wait_stream(torch.cuda.ExternalStream(stream.ptr))
with torch.cuda.stream(main):
    values.add_(1)  # expect buggy SC-106|SC-209, visible SC-106|SC-209, verified SC-106 proven
torch.cuda.synchronize()
if fixed:
    print(f"{values.sum().item():.6e} {float(doubled.sum()):.6e}")
