/* Names and describes the runtime's errors; works without a driver and inside host functions. */
#include "simulator/runtime/api.h"

struct text {
	const char *name, *meaning;
};

static struct text text_of(cudaError_t error)
{
	/* An unknown number may arrive here, as programs print whatever they were given. */
	switch ((unsigned int)error) {
#define ERROR(name, meaning) \
	case name:           \
		return (struct text){#name, meaning};
#include "simulator/runtime/errors.def"
#undef ERROR
	}
	return (struct text){"unrecognized error code", "unrecognized error code"};
}

RT_EXPORT const char *cudaGetErrorName(cudaError_t error)
{
	return text_of(error).name;
}

RT_EXPORT const char *cudaGetErrorString(cudaError_t error)
{
	return text_of(error).meaning;
}
