/* Call text: arguments between brackets. */
#include "reports/words/call_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "trace/op.h"

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
	{"cudaStreamSynchronize", 0},	{"cuStreamSynchronize", 0},
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

/* Calls that make an object, which is their first argument. */
static const struct {
	unsigned kind;
	const char *name;
} makers[] = {
	{SC_OP_STREAM_CREATE, "cudaStreamCreate"},
	{SC_OP_STREAM_CREATE, "cudaStreamCreateWithFlags"},
	{SC_OP_STREAM_CREATE, "cudaStreamCreateWithPriority"},
	{SC_OP_STREAM_CREATE, "cuStreamCreate"},
	{SC_OP_STREAM_CREATE, "cuStreamCreateWithPriority"},
	{SC_OP_EVENT_CREATE, "cudaEventCreate"},
	{SC_OP_EVENT_CREATE, "cudaEventCreateWithFlags"},
	{SC_OP_EVENT_CREATE, "cuEventCreate"},
	{SC_OP_INSTANTIATE, "cudaGraphInstantiate"},
	{SC_OP_INSTANTIATE, "cudaGraphInstantiateWithFlags"},
	{SC_OP_INSTANTIATE, "cudaGraphInstantiateWithParams"},
	{SC_OP_INSTANTIATE, "cuGraphInstantiate"},
	{SC_OP_INSTANTIATE, "cuGraphInstantiateWithParams"},
	{SC_OP_ALLOC, "cudaMalloc"},
	{SC_OP_ALLOC, "cudaMallocPitch"},
	{SC_OP_ALLOC, "cudaMallocHost"},
	{SC_OP_ALLOC, "cudaHostAlloc"},
	{SC_OP_ALLOC, "cudaMallocManaged"},
	{SC_OP_ALLOC, "cuMemAlloc"},
	{SC_OP_ALLOC, "cuMemAllocPitch"},
	{SC_OP_ALLOC, "cuMemAllocHost"},
	{SC_OP_ALLOC, "cuMemHostAlloc"},
	{SC_OP_ALLOC, "cuMemAllocManaged"},
	{SC_OP_ALLOC_ASYNC, "cudaMallocAsync"},
	{SC_OP_ALLOC_ASYNC, "cudaMallocFromPoolAsync"},
	{SC_OP_ALLOC_ASYNC, "cuMemAllocAsync"},
	{SC_OP_ALLOC_ASYNC, "cuMemAllocFromPoolAsync"},
	{SC_OP_PIN, "cudaHostRegister"},
	{SC_OP_PIN, "cuMemHostRegister"},
};

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

	for (const char *at = statement; bytes && (at = strstr(at, name)); at += bytes) {
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

bool sc_call_text_made(struct sc_buf *out, const char *statement, unsigned kind)
{
	const char *found = NULL;

	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++) {
		const char *text =
			makers[i].kind == kind ? find_call(statement, makers[i].name) : NULL;

		if (!text)
			continue;
		if (found || find_call(text, makers[i].name))
			return 0;
		found = text;
	}
	return found && add_argument(out, found, 0);
}

bool sc_call_text_pointer(const char *head, const char *function, const char *name, char sign,
			  unsigned *index)
{
	struct piece parameters[ARGUMENTS_MAX];
	const char *text = find_call(head, function);
	unsigned count = text ? split(text, parameters) : 0;
	size_t bytes = strlen(name);

	for (unsigned i = 0; i < count; i++) {
		const char *before = parameters[i].text + parameters[i].bytes - bytes;

		if (parameters[i].bytes <= bytes || strncmp(before, name, bytes) != 0)
			continue;
		while (before > parameters[i].text && isspace((unsigned char)before[-1]))
			before--;
		*index = i;
		return before > parameters[i].text && before[-1] == sign;
	}
	return 0;
}

bool sc_call_text_argument(struct sc_buf *out, const char *statement, const char *function,
			   const char *name, unsigned index)
{
	struct piece arguments[ARGUMENTS_MAX];
	const char *text = find_call(statement, function);
	unsigned count = text ? split(text, arguments) : 0;
	size_t bytes = strlen(name);

	if (!count || find_call(text, function))
		return 0;
	for (unsigned i = 0; i < count; i++) {
		struct piece p = arguments[i];

		if (p.bytes && *p.text == '*')
			return 0; /* Python's lists of arguments */
		if (p.bytes <= bytes || strncmp(p.text, name, bytes) != 0 || p.text[bytes] != '=' ||
		    p.text[bytes + 1] == '=')
			continue;
		p = trim(p.text + bytes + 1, p.text + p.bytes);
		sc_buf_add_bytes(out, p.text, p.bytes);
		return p.bytes > 0;
	}
	if (index >= count || memchr(arguments[index].text, '=', arguments[index].bytes))
		return 0;
	sc_buf_add_bytes(out, arguments[index].text, arguments[index].bytes);
	return arguments[index].bytes > 0;
}
