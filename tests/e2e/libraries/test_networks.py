#!/usr/bin/env python3
"""What calls and graphs of cuDNN read and write is known by their documented operands.

usage: test_networks.py PREFIX LOADER PROGRAMS local|looked_up
"""
import sys

import test_operands

GRAPH = "documented operands of cudnnBackendExecute"
FILLED = "operands of graphs that cudnnBackend%sCudaGraph fills (their kernels are known by their parameters)"
CONVOLUTION = "exact, documented operands of cudnnConvolutionForward"
NORMALIZATION = "exact, documented operands of cudnnBatchNormalizationForwardTraining"
RECURRENCE = "an upper bound, documented operands of cudnnRNNForward"
PROVEN = test_operands.PROVEN
# As in test_operands.py.
WAYS = {
    "convolved": ("SC-106", PROVEN, CONVOLUTION),
    "convolved_ordered": None,
    "convolved_weights": ("SC-106", PROVEN, CONVOLUTION),
    "convolved_beside": None,
    "convolved_onto": ("SC-105", PROVEN, CONVOLUTION),
    "convolved_back": ("SC-105", PROVEN, "exact, documented operands of cudnnConvolutionBackwardData"),
    "pooled": ("SC-106", PROVEN, "exact, documented operands of cudnnPoolingForward"),
    "pooled_partly": ("SC-106", "possible", "an upper bound, documented operands of cudnnPoolingForward"),
    "pooled_beside": None,
    "dropped": ("SC-105", PROVEN, "exact, documented operands of cudnnDropoutForward"),
    "dropped_states": ("SC-105", "possible", "an upper bound, documented operands of cudnnDropoutForward"),
    "dropped_beside": None,
    "lost": ("SC-105", "possible", "an upper bound, documented operands of cudnnCTCLoss"),
    "lost_beside": None,
    "normalized": ("SC-105", PROVEN, NORMALIZATION),
    "normalized_beside": None,
    "recurred": ("SC-105", "possible", RECURRENCE),
    "recurred_beside": None,
    "recurred_states": ("SC-105", "possible", RECURRENCE),
    "graph_input": ("SC-106", PROVEN, f"exact, {GRAPH}"),
    "graph_ordered": None,
    "graph_weights": ("SC-106", PROVEN, f"exact, {GRAPH}"),
    "graph_result": ("SC-105", PROVEN, f"exact, {GRAPH}"),
    "graph_beside": None,
    "graph_workspace": ("SC-105", "possible", f"an upper bound, {GRAPH}"),
    "graph_workspace_end": None,
    "graph_with_steps": ("SC-106", "possible", f"an upper bound, {GRAPH}"),
    "graph_with_gaps": None,
    "graph_with_gaps_row": ("SC-106", PROVEN, f"exact, {GRAPH}"),
    "graph_fused": ("SC-106", PROVEN, f"exact, {GRAPH}"),
    "graph_fused_beside": None,
    "graph_masked": ("SC-106", "possible", f"an upper bound, {GRAPH}"),
    "graph_ragged": ("SC-106", "possible", "by its parameters only"),
    "graph_from_text": ("SC-106", "possible", "by its parameters only"),
    "graph_suggested": ("SC-106", PROVEN, f"exact, {GRAPH}"),
    "graph_filled": ("SC-106", "possible", "by its parameters only", FILLED % "Populate"),
    "graph_filled_ordered": None,
    "graph_updated": ("SC-106", "possible", "by its parameters only", FILLED % "Populate", FILLED % "Update"),
}

if __name__ == "__main__":
    test_operands.WAYS = WAYS
    sys.exit(test_operands.main())
