/* Asks for functions of libraries in every way in which a program may ask whether they are there:
 * a weak reference, a table of such, and the loader, by itself and from a library that it loads.
 *
 * Built with NAMES, a list of X(name); -DPLUGIN makes the library. Prints a line of digits for each
 * name: 1 where something was found. Arguments: libraries that are loaded, before the plugin is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

#define X(name) extern __attribute__((weak)) int name(void);
NAMES
#undef X

struct weak {
	const char *name;
	int (*function)(void);
};

/* Relocated as data. */
const struct weak table[] = {
#define X(name) {#name, name},
	NAMES
#undef X
};

static int is_said(void *found)
{
	return !found && dlerror() != NULL;
}

__attribute__((visibility("default"))) void ask(const char *who);
__attribute__((visibility("default"))) void ask(const char *who)
{
	void *program = dlopen(NULL, RTLD_LAZY);
	unsigned i = 0;

#define X(name)                                                                                   \
	printf("%s %-40s %d%d %d%d%d%d%d\n", who, #name, name != NULL, table[i].function != NULL, \
	       dlsym(RTLD_DEFAULT, #name) != NULL, dlsym(program, #name) != NULL,                 \
	       dlsym(RTLD_NEXT, #name) != NULL, dlvsym(RTLD_DEFAULT, #name, "STUB_1") != NULL,    \
	       is_said(dlsym(RTLD_DEFAULT, #name)));                                              \
	i++;
	NAMES
#undef X
}

#ifndef PLUGIN
int main(int argc, char **argv)
{
	void (*plugin)(const char *who);
	void *library = NULL;

	ask("program");
	for (int i = 1; i < argc; i++)
		library = dlopen(argv[i], i + 1 < argc ? RTLD_NOW | RTLD_GLOBAL : RTLD_NOW);
	plugin = library ? (void (*)(const char *who))dlsym(library, "ask") : NULL;
	if (!plugin)
		return 1;
	plugin("plugin");
	return 0;
}
#endif
