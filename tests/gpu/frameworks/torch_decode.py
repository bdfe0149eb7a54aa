"""torchvision decodes in a stream of its own, which waits for nothing: the memory of its result may still be in use.

Memory of cudaMallocAsync must not be used in another stream before one waits for the allocation, which nothing in torchvision does:
no caller can correct that.
"""
import sys

import torch
from torchvision.io import ImageReadMode, decode_jpeg, encode_jpeg

fixed = sys.argv[1] == "fixed"
torch.manual_seed(1)
pictures = [encode_jpeg(torch.randint(0, 255, (3, 256, 256), dtype=torch.uint8)) for _ in range(4)]
total = torch.zeros((), device="cuda", dtype=torch.float64)
for picture in pictures:
    if fixed:
        torch.cuda.synchronize()
    total += decode_jpeg(picture, mode=ImageReadMode.RGB, device="cuda").double().sum()  # expect buggy SC-105|SC-106, visible SC-113, still visible SC-113, verified SC-105|SC-106 proven
torch.cuda.synchronize()
if fixed:
    print(f"{total.item():.6e}")
