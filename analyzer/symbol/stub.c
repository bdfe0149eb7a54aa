/* Stubs: names compared, of local functions by their last part. */
#include "analyzer/symbol/stub.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "analyzer/symbol/demangle.h"

#define MARK	  "__device_stub_" /* the kernel's name comes next */
#define ANONYMOUS "(anonymous namespace)"

bool sc_stub_is(const char *function)
{
	return strstr(function, MARK);
}

/* The last part of a kernel's name: no result, no namespaces, no arguments of either kind. Kernels
 * are members of no class, so the first arguments are its own. */
static const char *last_part(const char *name, size_t *bytes)
{
	const char *start = name, *end = name;

	while (*end && *end != '<') {
		bool is_anonymous = !strncmp(end, ANONYMOUS, strlen(ANONYMOUS));

		if (*end == '(' && !is_anonymous)
			break;
		end += is_anonymous ? strlen(ANONYMOUS) : 1;
		if (end[-1] == ' ' || end[-1] == ':')
			start = end;
	}
	*bytes = (size_t)(end - start);
	return start;
}

static bool is_host_function(const char *kernel, const char *function)
{
	size_t bytes, kernel_bytes;
	const char *part, *kernel_part;

	if (!strcmp(kernel, function))
		return 1;
	part = last_part(function, &bytes);
	if (part[bytes] == '(' || part != function || !bytes)
		return 0; /* a whole name, and another one */
	kernel_part = last_part(kernel, &kernel_bytes);
	return bytes == kernel_bytes && !memcmp(part, kernel_part, bytes);
}

bool sc_stub_is_called_by(const char *stub, const char *function)
{
	char name[SC_DEMANGLE_MAX], kernel[SC_DEMANGLE_MAX];
	const char *mark = strstr(stub, MARK);

	if (!mark)
		return 0;
	mark += strlen(MARK);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(mark, "(< "), mark);
	sc_demangle(name, kernel, sizeof(kernel));
	return is_host_function(kernel, function);
}
