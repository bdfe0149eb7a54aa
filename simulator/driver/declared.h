/* Everything whose declarations make the list of the driver's exports. */
#ifndef SIM_DECLARED_H
#define SIM_DECLARED_H

#include <cuda.h>
#include <cudaProfiler.h>

#endif
