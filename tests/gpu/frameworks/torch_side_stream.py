"""A layer runs in a side stream; what it made is used in the main stream, which must wait for it."""
import sys

import torch

fixed = sys.argv[1] == "fixed"
torch.manual_seed(1)
side, main = torch.cuda.Stream(), torch.cuda.current_stream()
values = torch.randn(1 << 20, device="cuda")
made = torch.empty_like(values)
total = torch.zeros((), device="cuda", dtype=torch.float64)
for _ in range(4):
    side.wait_stream(main)
    with torch.cuda.stream(side):
        torch.mul(values, 2, out=made)
    if fixed:
        main.wait_stream(side)
    total += made.double().sum()  # expect buggy SC-106|SC-209, visible SC-106|SC-209, verified SC-106 proven
torch.cuda.synchronize()
if fixed:
    print(f"{total.item():.9e}")
