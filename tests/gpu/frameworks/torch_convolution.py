"""A convolution reads its images in a side stream; the main stream refills them for the next step."""
import sys

import torch

fixed = sys.argv[1] == "fixed"
torch.manual_seed(1)
torch.backends.cudnn.benchmark = False
side, main = torch.cuda.Stream(), torch.cuda.current_stream()
batches = torch.rand(5, 8, 16, 64, 64, device="cuda")
images = batches[0].clone()
weights = torch.rand(16, 16, 3, 3, device="cuda")
torch.nn.functional.conv2d(images, weights, padding=1)  # loads cuDNN and its code
torch.cuda.synchronize()
total = torch.zeros((), device="cuda", dtype=torch.float64)
for batch in batches[1:]:
    side.wait_stream(main)
    with torch.cuda.stream(side):
        made = torch.nn.functional.conv2d(images, weights, padding=1)
        total += made.double().sum()
    if fixed:
        main.wait_stream(side)
    images.copy_(batch)  # expect buggy SC-106 proven, visible SC-106 proven
torch.cuda.synchronize()
if fixed:
    print(f"{total.item():.9e}")
