/* Opens libraries that carry their kernels, lets each run them, and closes it. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);
		void (*run)(void) = NULL;

		if (library)
			*(void **)&run = dlsym(library, "run");
		if (!run) {
			puts("there is no such library");
			return 1;
		}
		run();
		if (dlclose(library))
			return 1;
	}
	return 0;
}
