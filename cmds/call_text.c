/* Call text: arguments between brackets. */
#include "cmds/call_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MAX     12 /* of one statement */
#define ARGUMENTS_MAX 16

struct piece {
	const char *text;
	size_t bytes;
};

/* Which argument of a function is the stream; without it the call uses the default stream. */
static const struct {
	const char *name;
	unsigned stream;
} calls[] = {
	{"cudaMemcpyAsync", 4},		{"cudaMemsetAsync", 3},
	{"cudaMemcpy2DAsync", 7},	{"cudaMemset2DAsync", 5},
	{"cudaMallocAsync", 2},		{"cudaFreeAsync", 1},
	{"cudaMemcpyPeerAsync", 5},	{"cudaMemcpy3DAsync", 1},
	{"cudaGraphLaunch", 1},		{"cudaLaunchKernel", 5},
	{"cudaLaunchHostFunc", 0},	{"cudaStreamAddCallback", 0},
	{"cudaEventRecord", 1},		{"cudaStreamWaitEvent", 0},
	{"cudaMemcpyToSymbolAsync", 5}, {"cudaMemcpyFromSymbolAsync", 5},
	{"cudaMallocFromPoolAsync", 3}, {"cuMemcpyHtoDAsync", 3},
	{"cuMemcpyDtoHAsync", 3},	{"cuMemcpyDtoDAsync", 3},
	{"cuMemcpyAsync", 3},		{"cuMemsetD32Async", 3},
	{"cuMemsetD8Async", 3},		{"cuMemAllocAsync", 2},
	{"cuMemFreeAsync", 1},		{"cuGraphLaunch", 1},
	{"cuLaunchKernel", 8},		{"cuLaunchHostFunc", 0},
	{"cuEventRecord", 1},		{"cuStreamWaitEvent", 0},
};

static bool ends_statement(const char *text)
{
	int depth = 0;

	for (; *text; text++) {
		depth += (*text == '(') - (*text == ')');
		if (*text == ';' && depth <= 0)
			return 1;
	}
	return 0;
}

unsigned sc_call_text_read(struct sc_buf *out, struct sc_sources *s, const char *path,
			   unsigned line)
{
	for (unsigned i = 0; i < LINES_MAX; i++) {
		if (!sc_source_line(out, s, path, line + i, 0))
			return 0;
		if (ends_statement(sc_buf_text(out)))
			return i + 1;
		sc_buf_add_char(out, ' ');
	}
	return 0;
}

static struct piece trim(const char *from, const char *to)
{
	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	return (struct piece){from, (size_t)(to - from)};
}

/* The arguments from after an opening bracket on; returns how many, or 0 if it does not close. */
static unsigned split(const char *text, struct piece *out)
{
	const char *begin = text;
	unsigned count = 0;
	int depth = 0;

	for (; *text && count < ARGUMENTS_MAX; text++) {
		bool is_end = !depth && (*text == ')' || !strncmp(text, ">>>", 3));

		if (*text == '"' || *text == '\'')
			return 0; /* brackets in texts are not counted */
		if (is_end || (!depth && *text == ',')) {
			out[count++] = trim(begin, text);
			begin = text + 1;
		}
		if (is_end)
			return count;
		depth += (*text == '(' || *text == '[' || *text == '{') -
			 (*text == ')' || *text == ']' || *text == '}');
	}
	return 0;
}

/* A call of this name: after its opening bracket; or NULL. */
static const char *find_call(const char *statement, const char *name)
{
	size_t bytes = strlen(name);

	for (const char *at = statement; (at = strstr(at, name)); at += bytes) {
		const char *end = at + bytes;

		if (at > statement && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
			continue;
		if (*end == '(')
			return end + 1;
	}
	return NULL;
}

static bool add_argument(struct sc_buf *out, const char *text, unsigned index)
{
	struct piece arguments[ARGUMENTS_MAX];
	unsigned count = split(text, arguments);

	if (!count)
		return 0;
	if (index >= count)
		sc_buf_add(out, "0");
	else
		sc_buf_add_bytes(out, arguments[index].text, arguments[index].bytes);
	return 1;
}

bool sc_call_text_stream(struct sc_buf *out, const char *statement)
{
	const char *launch = strstr(statement, "<<<");

	if (launch)
		return add_argument(out, launch + 3, 3);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		const char *text = find_call(statement, calls[i].name);

		if (text)
			return add_argument(out, text, calls[i].stream);
	}
	return 0;
}

bool sc_call_text_event(struct sc_buf *out, const char *statement)
{
	static const struct {
		const char *name;
		unsigned event;
	} uses[] = {
		{"cudaEventRecord", 0},	  {"cuEventRecord", 0},	       {"cudaStreamWaitEvent", 1},
		{"cuStreamWaitEvent", 1}, {"cudaEventSynchronize", 0}, {"cuEventSynchronize", 0},
	};

	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++) {
		const char *text = find_call(statement, uses[i].name);

		if (text)
			return add_argument(out, text, uses[i].event);
	}
	return 0;
}
