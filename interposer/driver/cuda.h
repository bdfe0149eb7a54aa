/* CUDA's driver API as it really is: every symbol under its own name, old versions included, and
 * the structs of their parameters. The names are not redirected by macros.
 */
#pragma once

#define __CUDA_API_VERSION_INTERNAL
#include <cudaProfiler.h>
#include <generated_cuda_meta.h>
#include "interposer/driver/params.h"
