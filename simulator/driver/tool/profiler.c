/* Profiler control: there is none, which programs need not notice. */
#include "simulator/driver/api.h"

CUresult sim_cuProfilerStart(void)
{
	return CUDA_SUCCESS;
}

CUresult sim_cuProfilerStop(void)
{
	return CUDA_SUCCESS;
}
