"""A captured graph is replayed; its static input is filled in another stream."""
import sys

import torch

fixed = sys.argv[1] == "fixed"
torch.manual_seed(1)
side, main = torch.cuda.Stream(), torch.cuda.Stream()
static = torch.zeros(1 << 20, device="cuda")
weight = torch.rand(1 << 20, device="cuda")
inputs = [torch.full((1 << 20,), float(n), device="cuda") for n in range(4)]
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=main):
    result = (static * weight).sum()
torch.cuda.synchronize()
totals = []
for given in inputs:
    with torch.cuda.stream(side):
        if fixed:
            side.wait_stream(main)
        static.copy_(given)  # expect buggy SC-106|SC-209, visible SC-106 likely, verified SC-106 proven
    with torch.cuda.stream(main):
        if fixed:
            main.wait_stream(side)
        graph.replay()
        totals.append(result.clone())
torch.cuda.synchronize()
if fixed:
    print(*(f"{t.item():.6e}" for t in totals))
