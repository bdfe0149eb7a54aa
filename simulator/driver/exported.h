/* What the generated functions need: bodies, structs of parameters, CUPTI's numbers of calls. */
#pragma once

#include <generated_cuda_meta.h>
#include <cupti_driver_cbid.h>

#include "simulator/driver/api.h"
