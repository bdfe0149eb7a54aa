"""PyTorch fills the input of an ONNX Runtime session that is bound to a tensor, in a stream that the session knows nothing of."""
import sys

import numpy
import onnxruntime
import torch
from onnx import TensorProto, helper

assert "CUDAExecutionProvider" in onnxruntime.get_available_providers(), "ONNX Runtime has no CUDA here"
fixed = sys.argv[1] == "fixed"
size = 1 << 20
graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "net",
                          [helper.make_tensor_value_info("x", TensorProto.FLOAT, [size])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, [size])])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CUDAExecutionProvider"])
x = torch.zeros(size, device="cuda")
y = torch.empty(size, device="cuda")
torch.cuda.synchronize()
side = torch.cuda.Stream()
binding = session.io_binding()
binding.bind_input("x", "cuda", 0, numpy.float32, [size], x.data_ptr())
binding.bind_output("y", "cuda", 0, numpy.float32, [size], y.data_ptr())
with torch.cuda.stream(side):
    x.fill_(2.0)
if fixed:
    side.synchronize()
session.run_with_iobinding(binding)  # expect buggy SC-106|SC-209 possible, verified SC-106 proven, verified visible SC-106 proven
print(f"{y.sum().item():.5e}")
