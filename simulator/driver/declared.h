/* Everything whose declarations make the list of the driver's exports. */
#include <cuda.h>
#include <cudaProfiler.h>
