"""Calls: how each language writes what an edit needs, as reports/words/dialect.def has it, and where calls have a stream.

A test compares both tables with those of the command.
"""
import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Language:
    """`$` is the stream, `done` the event."""

    stream_sync: str
    device_sync: str
    record: str
    wait: str
    event_sync: str
    event: str
    package: str = ""
    current: str = ""  # the stream of calls that name none
    default: str = "0"
    within: str = ""  # how a statement is put into a stream

    @property
    def prefix(self) -> str:
        """What the package is called in the code."""
        return self.package.rpartition(".")[2]


LANGUAGES = {
    "runtime": Language("cudaStreamSynchronize($);", "cudaDeviceSynchronize();", "cudaEventRecord(done, $);",
                        "cudaStreamWaitEvent($, done, 0);", "cudaEventSynchronize(done);",
                        "cudaEventCreateWithFlags(&done, cudaEventDisableTiming)"),
    "driver": Language("cuStreamSynchronize($);", "cuCtxSynchronize();", "cuEventRecord(done, $);",
                       "cuStreamWaitEvent($, done, 0);", "cuEventSynchronize(done);",
                       "cuEventCreate(&done, CU_EVENT_DISABLE_TIMING)"),
    "torch": Language("$.synchronize()", "torch.cuda.synchronize()", "done.record($)", "$.wait_event(done)",
                      "done.synchronize()", "torch.cuda.Event()", "torch", "torch.cuda.current_stream()",
                      "torch.cuda.default_stream()", "with torch.cuda.stream($):"),
    "cupy": Language("$.synchronize()", "cupy.cuda.Device().synchronize()", "done.record($)", "$.wait_event(done)",
                     "done.synchronize()", "cupy.cuda.Event(disable_timing=True)", "cupy",
                     "cupy.cuda.get_current_stream()", "cupy.cuda.Stream.null", "with $:"),
    "numba": Language("$.synchronize()", "cuda.synchronize()", "done.record($)", "done.wait($)", "done.synchronize()",
                      "cuda.event(timing=False)", "numba.cuda", "", "cuda.default_stream()"),
    "cuda_driver": Language("driver.cuStreamSynchronize($)", "driver.cuCtxSynchronize()",
                            "driver.cuEventRecord(done, $)", "driver.cuStreamWaitEvent($, done, 0)",
                            "driver.cuEventSynchronize(done)",
                            "_, done = driver.cuEventCreate(driver.CUevent_flags.CU_EVENT_DISABLE_TIMING)",
                            "cuda.bindings.driver"),
    "cuda_python": Language("runtime.cudaStreamSynchronize($)", "runtime.cudaDeviceSynchronize()",
                            "runtime.cudaEventRecord(done, $)", "runtime.cudaStreamWaitEvent($, done, 0)",
                            "runtime.cudaEventSynchronize(done)",
                            "_, done = runtime.cudaEventCreateWithFlags(runtime.cudaEventDisableTiming)",
                            "cuda.bindings.runtime"),
}

# Which argument of a call is its stream; without it the call uses the default stream.
STREAMS = {
    "cudaMemcpyAsync": 4, "cudaMemsetAsync": 3, "cudaMemcpy2DAsync": 7, "cudaMemset2DAsync": 5, "cudaMallocAsync": 2,
    "cudaFreeAsync": 1, "cudaMemcpyPeerAsync": 5, "cudaMemcpy3DAsync": 1, "cudaGraphLaunch": 1, "cudaLaunchKernel": 5,
    "cudaLaunchHostFunc": 0, "cudaStreamAddCallback": 0, "cudaEventRecord": 1, "cudaStreamWaitEvent": 0,
    "cudaMemcpyToSymbolAsync": 5, "cudaMemcpyFromSymbolAsync": 5, "cudaMallocFromPoolAsync": 3, "cuMemcpyHtoDAsync": 3,
    "cuMemcpyDtoHAsync": 3, "cuMemcpyDtoDAsync": 3, "cuMemcpyAsync": 3, "cuMemsetD32Async": 3, "cuMemsetD8Async": 3,
    "cuMemAllocAsync": 2, "cuMemFreeAsync": 1, "cuGraphLaunch": 1, "cuLaunchKernel": 8, "cuLaunchHostFunc": 0,
    "cuEventRecord": 1, "cuStreamWaitEvent": 0, "cudaStreamSynchronize": 0, "cuStreamSynchronize": 0,
    "cudaMemcpy2DToArrayAsync": 8, "cudaMemcpy2DFromArrayAsync": 8, "cudaMemset3DAsync": 2, "cudaMemcpy3DPeerAsync": 1,
}
# Which argument of a call is an event that it records or waits for.
EVENTS = {"cudaEventRecord": 0, "cuEventRecord": 0, "cudaStreamWaitEvent": 1, "cuStreamWaitEvent": 1,
          "cudaEventSynchronize": 0, "cuEventSynchronize": 0}
# Functions that end what an argument stands for, and do nothing else.
ENDS = frozenset((
    "cudaFree", "cudaFreeAsync", "cudaFreeHost", "cudaFreeArray", "cudaFreeMipmappedArray", "cudaHostUnregister", "cudaIpcCloseMemHandle",
    "cudaStreamDestroy", "cudaEventDestroy", "cudaGraphExecDestroy", "cudaDestroyTextureObject", "cudaDestroySurfaceObject",
    "cuMemFree", "cuMemFreeAsync", "cuMemFreeHost", "cuArrayDestroy", "cuMipmappedArrayDestroy", "cuMemHostUnregister", "cuIpcCloseMemHandle",
    "cuStreamDestroy", "cuEventDestroy", "cuGraphExecDestroy", "cuTexObjectDestroy", "cuSurfObjectDestroy", "free", "munmap",
    "streamcheck_pool_free"))
SUFFIX = re.compile(r"(_v\d+|_ptsz|_ptds)+$")


def plain(call: str) -> str:
    """A function as the source names it: without namespace, parameters and the version of the driver's entry."""
    call = re.split(r"[(<]", call, maxsplit=1)[0]
    return SUFFIX.sub("", re.split(r"[.:\s*&]", call)[-1])


def fill(code: str, stream: str = "", event: str = "") -> str:
    """A line of code with a stream and an event."""
    return re.sub(r"\$|\bdone\b", lambda m: stream if m[0] == "$" else event or m[0], code)
