/* Declarations of the bodies of the exported functions, made from cuda.h at build time.
 *
 * For each row of api.def there is a function sim_<symbol> with the signature that cuda.h declares
 * for <symbol>; the exported function enters the driver (call.h), calls the body and leaves.
 */
#pragma once

#include <cuda.h>
#include <cudaProfiler.h>

#include "simulator/driver/call.h"
#include "sim_api_decls.h"
