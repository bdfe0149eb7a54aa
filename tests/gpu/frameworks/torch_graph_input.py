"""A captured graph reads a tensor that is gone when it is replayed: its memory is other tensors' by then."""
import sys

import torch

fixed = sys.argv[1] == "fixed"
size = 1 << 22
main = torch.cuda.Stream()
with torch.cuda.stream(main):
    given = torch.ones(size, device="cuda")
    result = torch.zeros(size, device="cuda")
main.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=main):
    torch.mul(given, 2, out=result)
if not fixed:
    del given  # expect visible SC-136 likely, followed SC-136 likely, verified visible SC-136 proven, verified followed SC-136 proven
with torch.cuda.stream(main):
    others = [torch.full((size // 2,), 7.0, device="cuda") for _ in range(2)]
    graph.replay()
main.synchronize()
if fixed:
    print(f"{result.sum().item():.6e} {others[0].sum().item():.6e}")
