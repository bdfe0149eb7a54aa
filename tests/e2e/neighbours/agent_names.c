/* Functions that agents follow, called in every way in which a program may be bound to them; each
 * says who called it.
 *
 * Built with NAMES, a list of X(name), and one of: -DSTUB the library, whose functions return 1 if
 * their caller is in libstreamcheck.so, else 2; -DTOOL a library that has some of them itself, says
 * so (10, or 20 if its caller is in libstreamcheck.so), and calls the next one; -DPLUGIN a library
 * that tells the program of its function when it is loaded; none: the program, whose arguments are
 * MODE:FILE of what it loads; or a number of files N.so, which threads load and unload. -DOWN: it
 * has the functions, too, and returns 30.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline int is_ours(void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libstreamcheck");
}

#ifdef STUB
#define X(name)                                                      \
	int name(void);                                              \
	int name(void)                                               \
	{                                                            \
		return is_ours(__builtin_return_address(0)) ? 1 : 2; \
	}
NAMES
#elif defined(TOOL)
#define X(name)                                                                   \
	int name(void);                                                           \
	int name(void)                                                            \
	{                                                                         \
		int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, #name);       \
                                                                                  \
		return (is_ours(__builtin_return_address(0)) ? 20 : 10) + next(); \
	}
NAMES
#else
#define X(name) int name(void);
NAMES
#undef X

#ifdef OWN
#define X(name)            \
	int name(void)     \
	{                  \
		return 30; \
	}
NAMES
#undef X
#endif

static int (*const table[])(void) = {
#define X(name) name,
	NAMES
#undef X
};

static int look_up_and_call(void *handle, const char *name)
{
	int (*function)(void) = (int (*)(void))dlsym(handle, name);

	return function ? function() : 0;
}

/* Two ways that the linker binds, and two that ask the loader. */
static void call(const char *who)
{
	unsigned i = 0;

#define X(name)                                                                            \
	printf("%s %s %d %d %d %d\n", who, #name, name(), table[i](),                      \
	       look_up_and_call(RTLD_DEFAULT, #name), look_up_and_call(RTLD_NEXT, #name)); \
	i++;
	NAMES
#undef X
}

#ifdef PLUGIN
/* 1 if all calls are followed, 2 if one is not. */
int ask(void);
int ask(void)
{
	int all = 1;

	for (unsigned i = 0; i < sizeof(table) / sizeof(*table); i++)
		all |= table[i]();
	return all;
}

extern void (*registered)(const char *who);

__attribute__((constructor)) static void enlist(void)
{
	registered = call;
}
#else
__attribute__((visibility("default"))) void (*registered)(const char *who);

static int mode_of(const char *text)
{
	return (strstr(text, "now") ? RTLD_NOW : RTLD_LAZY) |
	       (strstr(text, "deep") ? RTLD_DEEPBIND : 0);
}

#define THREADS 8
#define ROUNDS	200

static int files, missed;

static void *load(void *number)
{
	for (int i = 0; i < ROUNDS; i++) {
		char file[32];
		void *library;

		snprintf(file, sizeof(file), "./%d.so", ((int)(long)number * 7 + i) % files);
		library = dlopen(file, i % 2 ? RTLD_NOW : RTLD_LAZY);
		if (((int (*)(void))dlsym(library, "ask"))() != 1)
			__atomic_fetch_add(&missed, 1, __ATOMIC_RELAXED);
		dlclose(library);
	}
	return NULL;
}

static int load_in_threads(int count)
{
	pthread_t thread[THREADS];

	files = count;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, load, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("missed %d\n", missed);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && atoi(argv[1]))
		return load_in_threads(atoi(argv[1]));
	call("program");
	for (int i = 1; i < argc; i++) {
		char *file = strchr(argv[i], ':');

		*file++ = 0;
		registered = NULL;
		if (!dlopen(file, mode_of(argv[i]))) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		if (!strchr(file, '/'))
			dlsym(RTLD_DEFAULT, "printf");
		registered(argv[i]);
	}
	return 0;
}
#endif
#endif
