"""ONNX Runtime infers on the device, with its own streams and arena: nothing is found."""
import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper

assert "CUDAExecutionProvider" in onnxruntime.get_available_providers(), "ONNX Runtime has no CUDA here"
numpy.random.seed(1)
weight = numpy.random.rand(64, 32).astype(numpy.float32)
graph = helper.make_graph(
    [helper.make_node("MatMul", ["x", "w"], ["m"]), helper.make_node("Relu", ["m"], ["y"])], "net",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [8, 64])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [8, 32])],
    [helper.make_tensor("w", TensorProto.FLOAT, weight.shape, weight.tobytes(), raw=True)])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CUDAExecutionProvider"])
total = sum(session.run(None, {"x": numpy.full((8, 64), n, numpy.float32)})[0].sum() for n in range(5))
print(f"{total:.5e}")
