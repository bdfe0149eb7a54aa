/* Lets each library that is named look a function of the driver up (module.c). */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	if (cudaFree(NULL) != cudaSuccess)
		return 1;
	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);
		void (*ask)(void) = library ? (void (*)(void))dlsym(library, "ask") : NULL;

		if (!ask) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		ask();
	}
	return 0;
}
