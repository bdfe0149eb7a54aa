/* What the generated functions need: bodies, structs of parameters, CUPTI's numbers of calls. */
#ifndef SIM_EXPORTED_H
#define SIM_EXPORTED_H

#include <generated_cuda_meta.h>
#include <cupti_driver_cbid.h>

#include "simulator/driver/api.h"

#endif
