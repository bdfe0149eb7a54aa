/* PyTorch's pool: what its caching allocator hands out and takes back (--allocators=followed).
 *
 * libc10_cuda.so publishes the two in probes (sdt.h), at which breakpoints are set. A probe names a
 * stream by PyTorch's own number; the library's function CUDAStream::stream() says which stream of
 * CUDA that is. A piece goes back in the order of the stream that it was handed out for, unless
 * record_stream named others, which is seen where the allocator's table of virtual functions leads
 * to recordStream(). Where that is not found, and of memory that goes back to
 * the driver, nothing is said of the order.
 */
#pragma once

#include "interposer/core/module.h"

extern const struct sc_module sc_module_torch;
