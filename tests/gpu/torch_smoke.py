"""PyTorch on two streams: prints checksums that must not change under streamcheck."""
import torch


def layer(x, w):
    return torch.nn.functional.gelu(x @ w)


def train(device):
    """A few steps of a small network, with its optimizer."""
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(),
                                torch.nn.Linear(128, 8)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(256, 64, device=device), torch.randn(256, 8, device=device)
    for _ in range(5):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return loss


def main():
    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True)
    device = torch.device("cuda")
    x = torch.randn(512, 512).pin_memory().to(device, non_blocking=True)
    w = torch.randn(512, 512, device=device)
    streams = [torch.cuda.Stream() for _ in range(2)]
    results = []
    for stream in streams:
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            results.append(layer(x, w))
            results.append(torch.cumsum(x, 0).sort(dim=1).values)
    for stream in streams:
        torch.cuda.current_stream().wait_stream(stream)
    for result in results:
        print(f"{result.double().sum().item():.12e}")
    print(f"{train(device).item():.12e}")


main()
