/* Refusal: the cases, each with a sentence and what to do. */
#include "cmds/run/refusal.h"

#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 3, 4))) static bool refuse(struct sc_refusal *refusal,
							 const char *next, const char *why, ...)
{
	va_list arguments;

	va_start(arguments, why);
	vsnprintf(refusal->why, sizeof(refusal->why), why, arguments);
	va_end(arguments);
	refusal->next = next;
	return true;
}

bool sc_refusal_find(struct sc_refusal *refusal, const struct sc_install *install,
		     const struct sc_program *program)
{
	if (program->has_static_cudart && !program->has_shared_cudart)
		return refuse(refusal,
			      "rebuild it with the shared runtime: nvcc --cudart shared, or "
			      "NVCC_APPEND_FLAGS=\"--cudart shared\" in the environment of the "
			      "build, or CMAKE_CUDA_RUNTIME_LIBRARY Shared",
			      "carries NVIDIA's static CUDA runtime, which refuses the simulated "
			      "device");
	if (program->genuine[0])
		return refuse(
			refusal, "link it with -Wl,--enable-new-dtags",
			"has a DT_RPATH, by which the loader finds NVIDIA's runtime %s, which "
			"refuses the simulated device",
			program->genuine);
	if (program->has_shared_cudart && !sc_install_has_simulated(install, program->runtime))
		return refuse(refusal, "build it with CUDA 11, 12 or 13, or run it on a GPU",
			      "needs %s, which the simulated device does not have (%s)",
			      program->runtime, install->simulator);
	return false;
}
