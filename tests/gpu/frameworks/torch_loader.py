"""A DataLoader with worker processes and a thread that pins: nothing is proven of it."""
import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(1)
    data = TensorDataset(torch.randn(512, 64), torch.randn(512, 8))
    model = torch.nn.Linear(64, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in DataLoader(data, batch_size=32, num_workers=2, pin_memory=True):
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        loss = torch.nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{loss.item():.6e}")


if __name__ == "__main__":
    main()
