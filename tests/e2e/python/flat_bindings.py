"""The race of bindings.py as tutorials write it, at the script's top level. Each marked line is an end of it."""
from cuda.bindings import driver

SIZE = 1 << 16


def checked(answer):
    if int(answer[0]):
        raise RuntimeError(answer[0])
    return answer[1] if len(answer) > 1 else None


def upload_all():
    checked(driver.cuMemcpyHtoDAsync(device, host, SIZE, 0))  # second


checked(driver.cuInit(0))
context = checked(driver.cuDevicePrimaryCtxRetain(checked(driver.cuDeviceGet(0))))
checked(driver.cuCtxSetCurrent(context))
device, host = checked(driver.cuMemAlloc(SIZE)), checked(driver.cuMemHostAlloc(SIZE, 0))
stream = checked(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
checked(driver.cuMemcpyDtoHAsync(host, device, SIZE, stream))  # first
upload_all()
checked(driver.cuCtxSynchronize())
print("done")
