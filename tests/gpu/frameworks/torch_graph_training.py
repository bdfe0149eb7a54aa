"""A whole training step as one graph: warm-up in a side stream, capture, static inputs filled before each replay."""
import torch

torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(128, 256), torch.nn.ReLU(), torch.nn.Linear(256, 8)).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, capturable=True)
given, wanted = torch.randn(64, 128, device="cuda"), torch.randn(64, 8, device="cuda")
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.mse_loss(model(given), wanted).backward()
        optimizer.step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
optimizer.zero_grad(set_to_none=True)
with torch.cuda.graph(graph):
    loss = torch.nn.functional.mse_loss(model(given), wanted)
    loss.backward()
    optimizer.step()
batches = [(torch.randn(64, 128).pin_memory(), torch.randn(64, 8).pin_memory()) for _ in range(5)]
losses = []
for x, y in batches:
    given.copy_(x, non_blocking=True)
    wanted.copy_(y, non_blocking=True)
    graph.replay()
    losses.append(loss.clone())
print(*(f"{value.item():.6e}" for value in losses))
