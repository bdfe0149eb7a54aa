/* Header: judged before anything else of a trace is read. */
#include "trace/header.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/assert.h"

#define TEXT_HEAD 256 /* bytes that are looked at for what no text has */

void sc_header_say(char *message, size_t bytes, const char *format, ...)
{
	va_list arguments;

	if (!message || !bytes)
		return;
	va_start(arguments, format);
	vsnprintf(message, bytes, format, arguments);
	va_end(arguments);
}

bool sc_header_is_binary(const void *data, size_t bytes)
{
	return bytes >= sizeof(((struct sc_trace_header *)0)->magic) &&
	       !memcmp(data, SC_TRACE_MAGIC, sizeof(((struct sc_trace_header *)0)->magic));
}

bool sc_header_is_readable(const void *data, size_t bytes)
{
	return sc_header_is_binary(data, bytes) ||
	       !memchr(data, 0, bytes < TEXT_HEAD ? bytes : TEXT_HEAD);
}

int sc_header_add_head(struct sc_buf *out, int fd)
{
	char head[TEXT_HEAD];
	ssize_t got = 1;

	while (out->bytes < sizeof(head) && got) {
		got = read(fd, head, sizeof(head) - out->bytes);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0)
			sc_buf_add_bytes(out, head, (size_t)got);
	}
	return 0;
}

/* The number of slots of the header's count that are really in the file. */
uint64_t sc_header_slots(const struct sc_trace_header *h, uint64_t bytes)
{
	uint64_t room = (bytes - SC_TRACE_HEADER) / SC_SLOT_SIZE;

	sc_assert(bytes >= SC_TRACE_HEADER);
	return h->slots < room ? h->slots : room;
}

/* Judges the header; `bytes` is the size of the whole trace. */
int sc_header_check(const struct sc_trace_header *h, uint64_t bytes, char *message,
		    size_t message_bytes)
{
	if (bytes < SC_TRACE_HEADER)
		sc_header_say(message, message_bytes,
			      "byte %llu: the trace ends inside its header of %d bytes",
			      (unsigned long long)bytes, SC_TRACE_HEADER);
	else if (h->version != SC_TRACE_VERSION)
		sc_header_say(message, message_bytes,
			      "byte 8: trace format %u, this streamcheck reads format %d; use the "
			      "version "
			      "that wrote it",
			      h->version, SC_TRACE_VERSION);
	else if (h->op_bytes != sizeof(struct sc_op))
		sc_header_say(message, message_bytes,
			      "byte 12: ops of %u bytes instead of %zu; use the version that wrote "
			      "the trace",
			      h->op_bytes, sizeof(struct sc_op));
	else if (sc_header_slots(h, bytes) > SC_TRACE_SLOTS_MAX)
		sc_header_say(message, message_bytes,
			      "byte 274877894656: no more can be read; record less");
	else
		return 0;
	return -EINVAL;
}
