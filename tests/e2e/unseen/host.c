/* Opens a library that carries its kernels, and lets it run them. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
	void (*run)(void) = NULL;

	if (library)
		*(void **)&run = dlsym(library, "run");
	if (!run) {
		puts("there is no such library");
		return 1;
	}
	run();
	return dlclose(library);
}
