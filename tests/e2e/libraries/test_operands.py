#!/usr/bin/env python3
"""What calls of cuBLAS, cublasLt, NCCL, cuFFT, cuRAND, cuSPARSE and cuSOLVER read and write is known by their documented operands.

usage: test_operands.py PREFIX LOADER PROGRAMS local|looked_up
"""
import os
import sys

import checked

PROVEN = "proven"
# way: rule, confidence, how the kernel's bytes are known, perhaps what the text report says besides; or nothing
WAYS = {
    "product": ("SC-106", PROVEN, "exact, documented operands of cublasSgemm_v2"),
    "product_ordered": None,
    "product_elsewhere": None,
    "product_with_gaps": None,
    "product_split": ("SC-106", PROVEN, "exact, documented operands of cublasSgemm_v2"),
    "product_copied": ("SC-106", "possible", "an upper bound, documented operands of cublasSgemm_v2"),
    "product_on_device": ("SC-106", "possible",
                          "an upper bound, documented operands of cublasSgemm_v2"),
    "after_a_throw": ("SC-106", PROVEN, "exact, documented operands of cublasSgemm_v2"),
    "two_products": None,
    "batch": ("SC-105", PROVEN, "exact, documented operands of cublasSgemmStridedBatched"),
    "batch_between": None,
    "nested": ("SC-105", PROVEN, "exact, documented operands of cublasSgemmStridedBatched"),
    "refused": None,
    "scratch": ("SC-106", "possible", "an upper bound, documented operands of cublasSgemm_v2"),
    "captured": ("SC-106", PROVEN, "exact, documented operands of cublasSgemm_v2"),
    "captured_split": ("SC-106", PROVEN, "exact, documented operands of cublasSgemm_v2"),
    "captured_changed": ("SC-106", "possible", "by its parameters only"),
    "captured_elsewhere": None,
    "light_a": ("SC-106", PROVEN, "exact, documented operands of cublasLtMatmul"),
    "light_c": ("SC-106", PROVEN, "exact, documented operands of cublasLtMatmul"),
    "light_d": ("SC-105", PROVEN, "exact, documented operands of cublasLtMatmul"),
    "light_bias_end": None,
    "light_scratch": ("SC-105", "possible", "an upper bound, documented operands of cublasLtMatmul"),
    "reduced": ("SC-105", PROVEN, "exact, documented operands of ncclAllReduce"),
    "reduced_ordered": None,
    "gathered": ("SC-105", PROVEN, "exact, documented operands of ncclAllGather"),
    "gathered_elsewhere": None,
    "gathered_by_root": ("SC-105", PROVEN, "exact, documented operands of ncclGather"),
    "gathered_by_other": None,
    "put": ("SC-106", PROVEN, "exact, documented operands of ncclPutSignal"),
    "put_beside": None,
    "received": None,
    "grouped": ("SC-105", PROVEN, "exact, documented operands of ncclAllReduce"),
    "grouped_apart": None,
    "grouped_in_one_stream": ("SC-105", "possible",
                              "an upper bound, documented operands of ncclAllReduce"),
    "transform": ("SC-105", PROVEN, "exact, documented operands of cufftExecC2C"),
    "transform_ordered": None,
    "transform_elsewhere": None,
    "transform_batch": ("SC-106", PROVEN, "exact, documented operands of cufftExecC2C"),
    "transform_with_gaps": None,
    "transform_by_second_plan": None,
    "transform_with_callback": ("SC-106", "possible", "by its parameters only"),
    "transform_in_place": ("SC-105", PROVEN, "exact, documented operands of cufftExecR2C"),
    "drawn": ("SC-105", PROVEN, "exact, documented operands of curandGenerateNormal"),
    "drawn_elsewhere": None,
    "sparse_values": ("SC-106", PROVEN, "exact, documented operands of cusparseSpMV"),
    "sparse_behind_values": None,
    "sparse_offsets": ("SC-106", "possible", "an upper bound, documented operands of cusparseSpMV"),
    "sparse_behind_offsets": None,
    "sparse_offsets_prepared": ("SC-106", "possible", "an upper bound, documented operands of cusparseSpMV"),
    "sparse_in": ("SC-106", "possible", "an upper bound, documented operands of cusparseSpMV"),
    "sparse_out": ("SC-105", PROVEN, "exact, documented operands of cusparseSpMV"),
    "sparse_out_added": ("SC-105", "possible", "an upper bound, documented operands of cusparseSpMV"),
    "sparse_by_nothing": ("SC-106", "possible", "an upper bound, documented operands of cusparseSpMV"),
    "sparse_buffer": ("SC-105", "possible", "an upper bound, documented operands of cusparseSpMV"),
    "sparse_behind_buffer": None,
    "sparse_unasked": ("SC-106", "possible", "by its parameters only"),
    "sparse_ordered": None,
    "sparse_moved": None,
    "sparse_matrix": ("SC-105", PROVEN, "exact, documented operands of cusparseSpMM"),
    "sparse_matrix_gap": None,
    "sparse_solved": ("SC-106", PROVEN, "exact, documented operands of cusparseSpSV_solve"),
    "sparse_solved_matrix": ("SC-106", "possible", "an upper bound, documented operands of cusparseSpSV_solve"),
    "sparse_solved_buffer": ("SC-105", "possible", "an upper bound, documented operands of cusparseSpSV_solve"),
    "sparse_behind_solved_buffer": None,
    "sparse_compressed": ("SC-105", PROVEN, "exact, documented operands of cusparseXcoo2csr"),
    "sparse_behind_compressed": None,
    "sparse_transposed": ("SC-105", PROVEN, "exact, documented operands of cusparseCsr2cscEx2"),
    "sparse_behind_transposed": None,
    "sparse_transposed_buffer": ("SC-105", "possible", "an upper bound, documented operands of cusparseCsr2cscEx2"),
    "solver_matrix": ("SC-106", PROVEN, "exact, documented operands of cusolverDnSgetrf"),
    "solver_gap": None,
    "solver_pivots": ("SC-105", PROVEN, "exact, documented operands of cusolverDnSgetrf"),
    "solver_behind_pivots": None,
    "solver_scratch": ("SC-105", "possible", "an upper bound, documented operands of cusolverDnSgetrf"),
    "solver_behind_scratch": None,
    "solver_info": ("SC-105", "possible", "an upper bound, documented operands of cusolverDnSgetrf"),
    "solver_triangle": ("SC-106", PROVEN, "exact, documented operands of cusolverDnXpotrf"),
    "solver_triangle_inside": ("SC-105", "possible", "an upper bound, documented operands of cusolverDnXpotrf"),
    "solver_behind_triangle": None,
    "solver_waits": ("SC-105", "possible", "an upper bound, documented operands of cusolverDnSsyevd"),
    "solver_waits_apart": None,
}


# A node can be taken out of a graph, and the host waits between two kernels, so the second kernel of the call is not spoken
# for by the first; that a matrix is read is certain, what of it is written is not.
TWICE = {"captured_split", "solver_waits", "solver_matrix", "solver_triangle"}


def known(finding):
    """How the kernel's bytes are known."""
    return [s["bytes_known"] for s in finding["accesses"] if "bytes_known" in s]


def wrong_in(prefix, loader, programs, scope, way, mode, schedule):
    """What is not as it must be in one run."""
    user = "operand_user_looked_up.so" if scope == "looked_up" else "operand_user.so"
    result = checked.check(prefix, loader, mode, "sim", schedule,
                           ["local", os.path.join(programs, user), way])
    if result.report is None or not result.report["complete"]:
        return [f"no whole report; exit code {result.code}: {result.err}"]
    found = [f for f in result.findings if f["severity"] != "advice"]
    if way in TWICE and len(found) == 2 and found[1]["confidence"] == "possible":
        found.pop()
    expected = WAYS[way]
    wrong = []
    if result.code != (66 if expected and expected[1] == PROVEN else 0):
        wrong.append(f"it ended with {result.code}: {result.err}")
    if len(found) != (expected is not None):
        return wrong + [f"{len(found)} findings: {result.err}"]
    for finding in found:
        rule, confidence, how, *said = expected
        if (finding["rule"], finding["confidence"]) != (rule, confidence):
            wrong.append(f"found {finding['rule']} {finding['confidence']}: {result.err}")
        if how and not any(k.startswith(how) for k in known(finding)):
            wrong.append(f"known as {known(finding)}: {result.err}")
        wrong += [f"it does not say {text!r}: {result.err}" for text in said if text not in result.err]
    return wrong


def main():
    prefix, loader, programs, scope = sys.argv[1:5]
    wrong = []
    for number, way in enumerate(WAYS):
        schedule = checked.SCHEDULES[number % len(checked.SCHEDULES)]
        mode = "bare" if number % 4 == 0 else "run"
        wrong += [f"{way} {mode} {schedule}: {text}"
                  for text in wrong_in(prefix, loader, programs, scope, way, mode, schedule)]
    print(f"{len(WAYS)} ways")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
