/* Loads the runtime that it is given and calls it. Ends with 0 whatever the call says. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*allocate)(void **memory, size_t bytes) = NULL;
	void *memory = NULL;

	if (library)
		*(void **)&allocate = dlsym(library, "cudaMalloc");
	if (!allocate)
		return 1;
	printf("error %d\n", allocate(&memory, 64));
	return 0;
}
