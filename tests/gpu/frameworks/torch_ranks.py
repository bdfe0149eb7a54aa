"""Two ranks train with DistributedDataParallel over NCCL, one process a GPU: nothing is proven of them."""
import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def rank_main(rank, meeting, ranks):
    os.environ["NCCL_SOCKET_IFNAME"] = "lo"
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", f"file://{meeting}", rank=rank, world_size=ranks)
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(),
                                torch.nn.Linear(512, 8)).cuda()
    model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    torch.manual_seed(rank)
    for _ in range(10):
        x, y = torch.randn(64, 256).cuda(), torch.randn(64, 8).cuda()
        loss = torch.nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.all_reduce(loss)
    if rank == 0:
        print(f"{loss.item():.5e}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks = torch.cuda.device_count()
    assert ranks > 1, "one GPU only"
    with tempfile.TemporaryDirectory() as folder:  # a port might be another run's
        mp.spawn(rank_main, (f"{folder}/meeting", ranks,), ranks)
