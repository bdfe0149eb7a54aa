/* Two runtimes in one program: the one that it is linked with, and another that it loads
 * afterwards. A look-up in the global scope finds the first. */
#include "claims.h"

#include <dlfcn.h>

int main(int argc, char **argv)
{
	cudaError_t (*look)(int *version) = NULL;
	int linked = 0, found = 0;

	NEED(argc == 2 && dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL));
	CALL(cudaDeviceSynchronize());
	CALL(cudaRuntimeGetVersion(&linked));
	*(void **)&look = dlsym(RTLD_DEFAULT, "cudaRuntimeGetVersion");
	NEED(look);
	CALL(look(&found));
	printf("linked %d, found %d\n", linked / 1000, found / 1000);
	return 0;
}
