#!/usr/bin/env python3
"""What calls of NVSHMEM read and write in this process, and until when, is known by their manual.

usage: test_shmem.py PREFIX LOADER PROGRAMS local|looked_up
"""
import sys

import test_operands

PROVEN = test_operands.PROVEN


def exact(name):
    return f"exact, documented operands of {name}_on_stream"


BROADCAST = "documented operands of nvshmemx_broadcastmem_on_stream"
WAIT = "documented operands of nvshmemx_int_wait_until_all_on_stream"
# As in test_operands.py. Of operations of an agent (SC-16x) the bytes are the call's own.
WAYS = {
    "put": ("SC-106", PROVEN, exact("nvshmemx_putmem")),
    "put_beside": None,
    "put_there": None,
    "put_here": ("SC-105", PROVEN, exact("nvshmemx_putmem")),
    "signaled": ("SC-106", PROVEN, exact("nvshmemx_float_put_signal")),
    "signal_here": ("SC-105", PROVEN, exact("nvshmemx_float_put_signal")),
    "got": ("SC-105", PROVEN, exact("nvshmemx_get32")),
    "got_ordered": None,
    "spread": ("SC-106", PROVEN, exact("nvshmemx_float_iput")),
    "spread_gap": None,
    "number": ("SC-105", PROVEN, exact("nvshmemx_float_p")),
    "number_there": None,
    "number_beside": None,
    "number_got": ("SC-106", PROVEN, exact("nvshmemx_float_g")),
    "number_got_by_host": ("SC-160", PROVEN, None),
    "reduced": ("SC-105", PROVEN, exact("nvshmemx_float_sum_reduce")),
    "reduced_source": ("SC-106", PROVEN, exact("nvshmemx_float_sum_reduce")),
    "scattered": ("SC-106", PROVEN, exact("nvshmemx_int_max_reducescatter")),
    "scattered_behind": None,
    "exchanged": ("SC-105", PROVEN, exact("nvshmemx_alltoallmem")),
    "collected": ("SC-105", PROVEN, exact("nvshmemx_fcollectmem")),
    "collected_behind": None,
    "broadcast_source": ("SC-106", PROVEN, f"exact, {BROADCAST}"),
    "broadcast_target": ("SC-105", "possible", f"an upper bound, {BROADCAST}"),
    "broadcast_source_by_other": None,
    "broadcast_target_by_other": ("SC-105", PROVEN, f"exact, {BROADCAST}"),
    "awaited": ("SC-106", PROVEN, exact("nvshmemx_signal_wait_until")),
    "awaited_all": ("SC-106", PROVEN, f"exact, {WAIT}"),
    "awaited_some": ("SC-106", "possible", f"an upper bound, {WAIT}"),
    "awaited_status": ("SC-106", PROVEN, f"exact, {WAIT}"),
    "signal_set": ("SC-105", PROVEN, exact("nvshmemx_signal_op")),
    "open_never": ("SC-163", PROVEN, None),
    "open_quiet": None,
    "open_quiet_elsewhere": ("SC-163", PROVEN, None),
    "open_quiet_ordered": None,
    "open_wait": None,
    "open_launch": None,
    "launched": ("SC-105", PROVEN, "exact, from its PTX"),
    "open_host": None,
    "open_synced": ("SC-163", PROVEN, None),
    "open_kernels": ("SC-163", "possible", None),
    "open_get": ("SC-162", PROVEN, None),
    "open_captured": ("SC-106", PROVEN, exact("nvshmemx_putmem_nbi")),
    "host_put": ("SC-160", PROVEN, None),
    "host_put_synced": None,
    "host_get": ("SC-161", PROVEN, None),
    "host_sum": ("SC-160", PROVEN, None),
    "host_left": ("SC-163", PROVEN, None),
    "host_left_quiet": None,
    "freed": ("SC-153", PROVEN, None),
    "freed_synced": None,
    "freed_open": None,
}

if __name__ == "__main__":
    test_operands.WAYS = WAYS
    sys.exit(test_operands.main())
