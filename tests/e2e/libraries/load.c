/* Loads the user of the library as Python loads its modules, or for everybody: load local|global
 * WAY.
 *
 * "absent" asks for a name of the library where there is none: the answer must stay no. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int is_absent(void)
{
	if (!dlsym(RTLD_DEFAULT, "cublasSetStream_v2") && dlerror())
		return 0;
	fprintf(stderr, "the program sees a library that is not there\n");
	return 1;
}

int main(int count, char **arguments)
{
	int scope = count == 4 && !strcmp(arguments[1], "global") ? RTLD_GLOBAL : RTLD_LOCAL;
	void *user = count == 4 ? dlopen(arguments[2], RTLD_NOW | scope) : NULL;
	int (*use)(const char *);

	if (count == 2 && !strcmp(arguments[1], "absent"))
		return is_absent();
	if (!user) {
		fprintf(stderr, "%s\n", count == 4 ? dlerror() : "usage: load SCOPE USER WAY");
		return 1;
	}
	*(void **)&use = dlsym(user, "use");
	return use ? use(arguments[3]) : 1;
}
