/* Header: whether bytes begin a trace that this version reads. Any byte may be hostile. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "trace/format.h"

/* Writes a message, if the caller wants one. */
void sc_header_say(char *message, size_t bytes, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* True for the binary form. */
bool sc_header_is_binary(const void *data, size_t bytes);
/* True if it begins as a trace, or as the text of one. */
bool sc_header_is_readable(const void *data, size_t bytes);
/* Appends the first bytes of a file, which decide that: it may be a pipe, or a device that has no
 * end. Returns 0 or -errno. */
int sc_header_add_head(struct sc_buf *out, int fd);
/* The number of slots of the header's count that are really in a file of so many bytes. */
uint64_t sc_header_slots(const struct sc_trace_header *h, uint64_t bytes);
/* Judges the header; `bytes` is the size of the whole trace. Returns 0 or -EINVAL, and says why. */
int sc_header_check(const struct sc_trace_header *h, uint64_t bytes, char *message,
		    size_t message_bytes);
