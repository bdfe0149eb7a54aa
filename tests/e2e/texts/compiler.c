/* A stand-in for NVRTC and for nvJitLink: machine code and its text come from the files that
 * $TEXTS_CODE and $TEXTS_TEXT name. What is asked of a program that was not compiled here is
 * refused, as the libraries refuse it. A link with line information is another one, whose code
 * $TEXTS_AGAIN names. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT	__attribute__((visibility("default")))
#define INVALID 4

static int program; /* the only one */
static int again;   /* the link with line information */
static int open_links;

static int read_file(const char *variable, size_t *bytes, char *to)
{
	const char *path = getenv(variable);
	FILE *file = path ? fopen(path, "r") : NULL;
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

/* ---- nvJitLink, by the names of a version only ---- */

__attribute__((destructor)) static void count_links(void)
{
	if (open_links)
		fprintf(stderr, "%d links were not destroyed\n", open_links);
}

static bool is_link(const void *link)
{
	return link == &program || link == &again;
}

static const char *code_of(const void *link)
{
	return link == &program ? "TEXTS_CODE" : "TEXTS_AGAIN";
}

EXPORT int __nvJitLinkCreate_13_0(void **link, uint32_t count, const char **options);
EXPORT int __nvJitLinkCreate_13_0(void **link, uint32_t count, const char **options)
{
	if (!count || !options)
		return INVALID;
	*link = strcmp(options[count - 1], "-lineinfo") ? &program : &again;
	open_links++;
	return 0;
}

EXPORT int __nvJitLinkAddData_13_0(void *link, int type, const void *data, size_t bytes,
				   const char *name);
EXPORT int __nvJitLinkAddData_13_0(void *link, int type, const void *data, size_t bytes,
				   const char *name)
{
	return is_link(link) && type && data && bytes && name ? 0 : INVALID;
}

EXPORT int __nvJitLinkAddFile_13_0(void *link, int type, const char *path);
EXPORT int __nvJitLinkAddFile_13_0(void *link, int type, const char *path)
{
	return is_link(link) && type && path ? 0 : INVALID;
}

EXPORT int __nvJitLinkComplete_13_0(void *link);
EXPORT int __nvJitLinkComplete_13_0(void *link)
{
	return is_link(link) ? 0 : INVALID;
}

EXPORT int __nvJitLinkGetLinkedCubinSize_13_0(void *link, size_t *bytes);
EXPORT int __nvJitLinkGetLinkedCubinSize_13_0(void *link, size_t *bytes)
{
	return is_link(link) ? read_file(code_of(link), bytes, NULL) : INVALID;
}

EXPORT int __nvJitLinkGetLinkedCubin_13_0(void *link, void *code);
EXPORT int __nvJitLinkGetLinkedCubin_13_0(void *link, void *code)
{
	return is_link(link) ? read_file(code_of(link), NULL, code) : INVALID;
}

EXPORT int __nvJitLinkDestroy_13_0(void **link);
EXPORT int __nvJitLinkDestroy_13_0(void **link)
{
	if (!is_link(*link))
		return INVALID;
	*link = NULL;
	open_links--;
	return 0;
}
