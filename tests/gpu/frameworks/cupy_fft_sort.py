"""CuPy: a Fourier transform, a sort, a product of matrices and a reduction in two streams that wait for each other."""
import cupy

cupy.random.seed(1)
first, second = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
with first:
    values = cupy.random.random(1 << 16).astype(cupy.float32)
    spectrum = cupy.abs(cupy.fft.rfft(values))
second.wait_event(first.record())
with second:
    ordered = cupy.sort(spectrum)
    square = ordered[:16384].reshape(128, 128)
    product = square @ square.T
    total = cupy.linalg.norm(product)
second.synchronize()
print(f"{float(total):.4e} {float(ordered[-1]):.4e}")
