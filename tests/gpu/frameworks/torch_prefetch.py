"""A batch is prefetched in a side stream; the model must wait for that stream."""
import sys

import torch

fixed = sys.argv[1] == "fixed"
torch.manual_seed(1)
side, main = torch.cuda.Stream(), torch.cuda.current_stream()
batches = [torch.randn(512, 512).pin_memory() for _ in range(4)]
weight = torch.randn(512, 512, device="cuda")
slots = [torch.zeros(512, 512, device="cuda") for _ in range(2)]
total = torch.zeros((), device="cuda", dtype=torch.float64)
for number, batch in enumerate(batches):
    slot = slots[number % 2]
    side.wait_stream(main)  # the slot is free when what used it is over
    with torch.cuda.stream(side):
        slot.copy_(batch, non_blocking=True)
    if fixed:
        main.wait_stream(side)
    total += (slot @ weight).double().sum()  # expect buggy SC-106 proven, visible SC-106 proven
torch.cuda.synchronize()
if fixed:
    print(f"{total.item():.9e}")
