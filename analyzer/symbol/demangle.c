/* Demangling by the C++ runtime's demangler, with a limit on what a hostile name may cost. */
#include "analyzer/symbol/demangle.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include "base/assert.h"

/* Of libstdc++, linked statically: demangles in pieces, without the heap. */
int __gcclibcxx_demangle_callback(const char *name,
				  void (*piece)(const char *text, size_t bytes, void *context),
				  void *context);

struct sink {
	char *out;
	size_t used;
	size_t bytes; /* room, with the terminator */
	jmp_buf too_long;
};

/* A short name may stand for terabytes of text, so the demangler is left by a jump. */
static void take(const char *text, size_t bytes, void *context)
{
	struct sink *s = context;

	if (bytes >= s->bytes - s->used)
		longjmp(s->too_long, 1);
	memcpy(s->out + s->used, text, bytes);
	s->used += bytes;
}

static int demangle(struct sink *s, const char *name)
{
	if (setjmp(s->too_long))
		return -1;
	return __gcclibcxx_demangle_callback(name, take, s);
}

void sc_demangle(const char *name, char *out, size_t bytes)
{
	struct sink s = {.out = out, .bytes = bytes};

	sc_assert(bytes > 0);
	if (!strncmp(name, "_Z", 2) && strnlen(name, SC_DEMANGLE_MAX) < SC_DEMANGLE_MAX &&
	    demangle(&s, name) == 0 && s.used) {
		out[s.used] = '\0';
		return;
	}
	snprintf(out, bytes, "%s", name);
}
