#!/usr/bin/env python3
"""What a training script hears of copies from ordinary memory (SC-201).

usage: test_pageable.py PREFIX
A stand-in for PyTorch copies as PyTorch does: without non_blocking=True it waits for the stream in the same call.
"""
import os
import sys
import tempfile
import unittest

import checked

TORCH = """
import ctypes

cudart = ctypes.CDLL("libcudart.so.13")
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
SIZE = 1 << 20

class Tensor:
    def __init__(self, is_pinned=False):
        block = ctypes.c_void_p()
        if is_pinned:
            cudart.cudaMallocHost(ctypes.byref(block), ctypes.c_size_t(SIZE))
        self.block, self.is_pinned = block.value or libc.malloc(SIZE), is_pinned
    def __del__(self):
        if not self.is_pinned:
            libc.free(self.block)
    def pin_memory(self):
        return Tensor(True)
    def cuda(self, non_blocking=False):
        device = ctypes.c_void_p()
        cudart.cudaMalloc(ctypes.byref(device), ctypes.c_size_t(SIZE))
        cudart.cudaMemcpyAsync(device, ctypes.c_void_p(self.block), ctypes.c_size_t(SIZE), 1, None)
        if not non_blocking:
            cudart.cudaStreamSynchronize(None)
        return device

def synchronize():
    cudart.cudaDeviceSynchronize()
"""
SCRIPT = """
import torch

def step():
    batch = torch.Tensor()
    data = {}
    del batch
    return data

def main():
    for _ in range(3):
        step()
    torch.synchronize()

main()
"""


class Pageable(unittest.TestCase):
    prefix = None

    def findings(self, copy):
        """Those of a script that trains with this copy, but advice."""
        with tempfile.TemporaryDirectory(prefix="streamcheck-test-") as folder:
            packages = os.path.join(folder, "site-packages", "libtorch")
            os.makedirs(packages)
            for name, text in (("site-packages/libtorch/torch.py", TORCH), ("train.py", SCRIPT.format(copy))):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            result = checked.check(self.prefix, sys.executable, schedule="lazy", options=["advice=no"],
                                   arguments=[os.path.join(folder, "train.py")],
                                   extra={"PYTHONPATH": packages})
            self.assertEqual(result.code, 0, result.err)
            return result.findings

    def test_a_copy_that_waits_has_no_finding(self):
        self.assertEqual(self.findings("batch.cuda()"), [])

    def test_pinned_memory_has_no_finding(self):
        self.assertEqual(self.findings("batch.pin_memory().cuda(non_blocking=True)"), [])

    def test_each_line_has_one_finding_that_says_what_to_leave_out(self):
        found = self.findings("batch.cuda(non_blocking=True)")
        self.assertEqual([f["rule"] for f in found], ["SC-201"])
        self.assertEqual(found[0]["severity"], "warning")
        self.assertIn("leave non_blocking=True out", found[0]["fix"])


if __name__ == "__main__":
    Pageable.prefix = os.path.abspath(sys.argv.pop(1))
    unittest.main()
