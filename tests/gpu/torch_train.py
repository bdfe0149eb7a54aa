"""A training loop that waits for the device only at the end: prints the losses, and its time."""
import sys
import time

import torch

STEPS, WARM_UP = 300, 50


def step(model, optimizer, x, y):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.detach()


def profiled(run):
    """The same under PyTorch's own profiler, which needs CUPTI too."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        run()
        torch.cuda.synchronize()
    kernels = [e for e in profile.events() if e.device_type == torch.autograd.DeviceType.CUDA]
    print("profiled", "some" if kernels else "no", "device events")


def main():
    torch.manual_seed(1)
    torch.use_deterministic_algorithms(True)
    device = torch.device("cuda")
    model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(),
                                torch.nn.Linear(512, 512), torch.nn.ReLU(),
                                torch.nn.Linear(512, 16)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(512, 256, device=device), torch.randn(512, 16, device=device)
    losses = [step(model, optimizer, x, y) for _ in range(WARM_UP)]
    torch.cuda.synchronize()
    start = time.perf_counter()
    losses += [step(model, optimizer, x, y) for _ in range(STEPS)]
    torch.cuda.synchronize()
    print(f"time {time.perf_counter() - start:.4f}", file=sys.stderr)
    if "profile" in sys.argv:
        profiled(lambda: [step(model, optimizer, x, y) for _ in range(10)])
    for loss in losses[::50]:
        print(f"{loss.item():.9e}")


main()
