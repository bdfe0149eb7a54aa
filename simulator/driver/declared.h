/* Everything whose declarations make the list of the driver's exports. */
#pragma once

#include <cuda.h>
#include <cudaProfiler.h>
