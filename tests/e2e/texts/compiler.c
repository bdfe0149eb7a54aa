/* A stand-in for NVRTC and for nvJitLink: machine code and its text come from the files that
 * $TEXTS_CODE and $TEXTS_TEXT name. What is asked of a program that was not compiled here is
 * refused, as the libraries refuse it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT	__attribute__((visibility("default")))
#define INVALID 4

static int program; /* the only one */

static int read_file(const char *variable, size_t *bytes, char *to)
{
	FILE *file = fopen(getenv(variable), "r");
	size_t got = 0;
	int c;

	if (!file)
		return INVALID;
	for (; (c = getc(file)) != EOF; got++)
		if (to)
			to[got] = (char)c;
	if (bytes)
		*bytes = got;
	fclose(file);
	return 0;
}

EXPORT int nvrtcCreateProgram(void **out);
EXPORT int nvrtcCreateProgram(void **out)
{
	*out = &program;
	return 0;
}

EXPORT int nvrtcGetCUBINSize(void *p, size_t *bytes);
EXPORT int nvrtcGetCUBINSize(void *p, size_t *bytes)
{
	return p == &program ? read_file("TEXTS_CODE", bytes, NULL) : INVALID;
}

EXPORT int nvrtcGetCUBIN(void *p, char *code);
EXPORT int nvrtcGetCUBIN(void *p, char *code)
{
	return p == &program ? read_file("TEXTS_CODE", NULL, code) : INVALID;
}

/* With the zero at its end, which counts. */
EXPORT int nvrtcGetPTXSize(void *p, size_t *bytes);
EXPORT int nvrtcGetPTXSize(void *p, size_t *bytes)
{
	int status = p == &program ? read_file("TEXTS_TEXT", bytes, NULL) : INVALID;

	*bytes += !status;
	return status;
}

EXPORT int nvrtcGetPTX(void *p, char *text);
EXPORT int nvrtcGetPTX(void *p, char *text)
{
	size_t bytes = 0;
	int status = p == &program ? read_file("TEXTS_TEXT", &bytes, text) : INVALID;

	if (!status)
		text[bytes] = 0;
	return status;
}

EXPORT int __nvJitLinkCreate_13_0(void **link, uint32_t count, const char **options);
EXPORT int __nvJitLinkCreate_13_0(void **link, uint32_t count, const char **options)
{
	*link = &program;
	return count && options ? 0 : INVALID;
}

EXPORT int __nvJitLinkAddData_13_0(void *link, int type, const void *data, size_t bytes,
				   const char *name);
EXPORT int __nvJitLinkAddData_13_0(void *link, int type, const void *data, size_t bytes,
				   const char *name)
{
	return link == &program && type && data && bytes && name ? 0 : INVALID;
}

EXPORT int __nvJitLinkGetLinkedCubin_13_0(void *link, void *code);
EXPORT int __nvJitLinkGetLinkedCubin_13_0(void *link, void *code)
{
	return link == &program ? read_file("TEXTS_CODE", NULL, code) : INVALID;
}
