/* Header: whether bytes begin a trace that this version reads. Any byte may be hostile. */
#ifndef SC_TRACE_HEADER_H
#define SC_TRACE_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "trace/format.h"

/* Writes a message, if the caller wants one. */
void sc_header_say(char *message, size_t bytes, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* True for the binary form. */
bool sc_header_is_binary(const void *data, size_t bytes);
/* The number of slots of the header's count that are really in a file of so many bytes. */
uint64_t sc_header_slots(const struct sc_trace_header *h, uint64_t bytes);
/* Judges the header; `bytes` is the size of the whole trace. Returns 0 or -EINVAL, and says why. */
int sc_header_check(const struct sc_trace_header *h, uint64_t bytes, char *message,
		    size_t message_bytes);

#endif
