#!/usr/bin/env python3
"""Recorded footprints of test cases on the simulated device: the same bytes and the same findings as executed ones, and
results that do not change.

usage: test_cases.py PREFIX FOLDER STANDIN   (of the test cases for the simulated device)
"""
import os
import sys
import tempfile
import unittest

import checked
import recorded

PREFIX, FOLDER, STANDIN = map(os.path.abspath, sys.argv[1:4])
COMMAND = os.path.join(PREFIX, "bin", "streamcheck")
RECORDED = ["footprints=recorded", "sim-memory=128m", f"sanitizer={STANDIN}"]

# Programs whose kernels do what patches have to see: how many launches and nodes both runs know exactly, at least.
CASES = {
    "bfs_frontier": 34, "called_functions": 2, "cluster_histogram": 5, "code_unloaded_in_flight": 1, "cub_in_kernel": 4,
    "device_heap": 4, "divergence": 3, "double_nans": 17, "early_kernel_in_graph": 2, "graph_choices": 9,
    "graph_in_rounds": 3, "graph_keeps_piece": 1, "graph_while": 9, "grid_sync": 1, "groups_of_warps": 3, "half_precision": 3,
    "host_polls_flag-fixed": 3, "k_means": 64, "kernel_in_wrong_stream": 1, "kernel_in_wrong_stream-fixed": 1,
    "kernels_wait": 12, "launch_of_cuda_2": 1, "life_two_streams": 24, "linked_at_run_time": 2, "loaded_pointer": 1,
    "loaded_pointer-fixed": 1, "lookback_scan": 1,
    "mapped_memory": 4, "module_variable": 2, "pool_pipeline": 18, "quick_select": 56, "saxpy": 1, "scatter_by_index": 4,
    "scatter_by_index-apart": 4, "scatter_by_index-fixed": 4, "scatter_in_graphs": 4, "scatter_in_graphs-apart": 4,
    "scatter_in_graphs-fixed": 4, "scatter_in_graphs-late": 4, "scoped_atomics": 2, "separate": 1, "spin_lock": 1,
    "stream_used_after_capture": 5, "templates": 7, "thrust_sort": 9, "transposition": 4, "warp_scan": 5, "whole_vectors": 2,
}
# Bytes that patches do not see, by KNOWN's reasons; and asynchronous copies, of which the first bytes of pieces are known.
UNSEEN = ("constant_tables", "message_digest", "texture_linear")
BOUND = ("async_copies", "block_barriers", "tensor_tiles")


def findings(result):
    """What is found, and how sure: not in which order."""
    return sorted((f["rule"], f["severity"], f["confidence"], f["fingerprint"]) for f in result.findings)


class Cases(unittest.TestCase):
    def run_once(self, name, options):
        """(result, launches of the trace)"""
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace.sct")
            result = checked.check(PREFIX, os.path.join(FOLDER, name), device="sim",
                                   options=(*options, "html=no", "exitcode=0", "trace=" + trace))
            self.assertIsNotNone(result.report, result.err)
            _, dump, _ = checked.run([COMMAND, "dump", trace], dict(os.environ))
        return result, recorded.read(dump)

    def both(self, name):
        """(launches compared, how they differ, the recorded run's result and launches). Exit codes and findings are equal,
        and what programs without findings print."""
        (result, executed), (got, launches) = self.run_once(name, []), self.run_once(name, RECORDED)
        self.assertEqual((got.code, findings(got)), (result.code, findings(result)), got.err)
        if not result.findings:
            self.assertEqual(got.out, result.out)
        return *recorded.differences(executed, launches), got, launches

    def test_same_bytes_and_findings(self):
        for name, least in CASES.items():
            with self.subTest(name):
                compared, wrong, got, _ = self.both(name)
                self.assertEqual(wrong, [], got.err)
                self.assertGreaterEqual(compared, least)

    def test_what_patches_do_not_see(self):
        for name in UNSEEN:
            with self.subTest(name):
                _, wrong, _, _ = self.both(name)
                self.assertTrue(wrong and all("recorded None" in line for line in wrong), wrong)
                self.assertIn(name, recorded.KNOWN)

    def test_upper_bounds(self):
        for name in BOUND:
            with self.subTest(name):
                _, wrong, _, launches = self.both(name)
                self.assertEqual(wrong, [])
                self.assertTrue(any(launch.uses for launch in launches.values()))

    def test_proven_as_recorded(self):
        """The index is loaded, so that its PTX does not say which bytes the kernel writes."""
        _, _, got, _ = self.both("scatter_by_index")
        self.assertIn("proven", {finding["confidence"] for finding in got.findings})
        self.assertIn("as recorded on the GPU", got.err)

    def test_kernels_that_cannot_be_patched(self):
        """The stand-in does not know fragments of matrices in memory; the report counts these launches."""
        got, launches = self.run_once("tensor_product", RECORDED)
        self.assertEqual((got.code, [launch for launch in launches.values() if launch.uses]), (0, []), got.err)
        self.assertIn("its code could not be patched", got.err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
