/* A driver of CUDA 14.0, as far as program.c asks: it has functions that no header knows yet. */
#include <stddef.h>
#include <string.h>

#define EXPORT	    __attribute__((visibility("default")))
#define VERSION	    14000
#define NOT_FOUND   500
#define NEWER_SINCE 14000

static int juggled;

EXPORT int cuInit(unsigned flags)
{
	return (int)flags;
}

EXPORT int cuDriverGetVersion(int *version)
{
	*version = VERSION;
	return 0;
}

/* More parameters than registers have room for, and two floating-point ones. */
EXPORT int cuMemJuggleAsync(long a, long b, long c, long d, long e, long f, double g, double h,
			    long i, long j)
{
	juggled++;
	return a + b + c + d + e + f + i + j == 36 && g + h == 10 ? 0 : 1;
}

EXPORT int cuJuggleGetCount(int *count)
{
	*count = juggled;
	return 0;
}

EXPORT int cuJuggleNow(void)
{
	return 0;
}

EXPORT int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data)
{
	(void)stream;
	function(data);
	return 0;
}

/* The form of 14.0: what the function was given lies behind a pointer. */
static int launch_newer(void **all)
{
	((void (*)(void *))all[0])(all[1]);
	return 0;
}

EXPORT int cuGetProcAddress_v2(const char *symbol, void **function, int version,
			       unsigned long long flags, int *status)
{
	const struct {
		const char *name;
		void *function;
	} all[] = {{"cuInit", (void *)cuInit},
		   {"cuDriverGetVersion", (void *)cuDriverGetVersion},
		   {"cuMemJuggleAsync", (void *)cuMemJuggleAsync},
		   {"cuJuggleGetCount", (void *)cuJuggleGetCount},
		   {"cuJuggleNow", (void *)cuJuggleNow},
		   {"cuLaunchHostFunc", (void *)cuLaunchHostFunc}};

	(void)flags;
	*function = NULL;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i].name, symbol))
			*function = all[i].function;
	if (!strcmp(symbol, "cuLaunchHostFunc") && version >= NEWER_SINCE)
		*function = (void *)launch_newer;
	if (status)
		*status = *function ? 0 : 1;
	return *function || status ? 0 : NOT_FOUND;
}

EXPORT int cuGetProcAddress(const char *symbol, void **function, int version,
			    unsigned long long flags)
{
	return cuGetProcAddress_v2(symbol, function, version, flags, NULL);
}
