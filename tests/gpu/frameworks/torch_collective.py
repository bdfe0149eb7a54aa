"""Two ranks sum a tensor over NCCL while they go on: the sum must be waited for before it is read."""
import os
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def rank_main(rank, meeting, ranks, fixed):
    os.environ["NCCL_SOCKET_IFNAME"] = "lo"
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", f"file://{meeting}", rank=rank, world_size=ranks)
    total = torch.full((1 << 20,), rank + 1.0, device="cuda")
    first = torch.zeros(1 << 20, device="cuda")
    dist.all_reduce(first)  # connects the ranks
    torch.cuda.synchronize()
    result = torch.empty_like(total)
    work = dist.all_reduce(total, async_op=True)
    if fixed:
        work.wait()  # the current stream waits for NCCL's
    result.copy_(total)  # expect buggy SC-106 proven, visible SC-106 proven
    work.wait()
    torch.cuda.synchronize()
    if fixed and rank == 0:
        print(f"{result.sum().item():.5e}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks = torch.cuda.device_count()
    assert ranks > 1, "one GPU only"
    with tempfile.TemporaryDirectory() as folder:  # a port might be another run's
        mp.spawn(rank_main, (f"{folder}/meeting", ranks, sys.argv[1] == "fixed"), ranks)
