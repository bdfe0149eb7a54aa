/* Remarks: what the comparison of processes has to say about an operation of one of them. They
 * become findings when the trace of that process is analyzed (analyzer/rules/across.c). */
#pragma once

#include <stdint.h>
#include "analyzer/finding/settings.h"
#include "base/buf.h"
#include "base/vector.h"

/* In a text: the place of an operation of a process, "\1process:sequence\2", which is replaced by
 * the words for it (sc_across_remarks_name). */
#define SC_ACROSS_PLACE_BEGIN '\1'
#define SC_ACROSS_PLACE_END   '\2'

struct sc_across_remark {
	uint32_t process;
	struct sc_remark remark; /* its text is owned here */
};

/* An empty list is all zero. */
struct sc_across_remarks {
	SC_VECTOR(struct sc_across_remark) list;
	uint64_t left_out;
};

/* Files a remark; takes the content of `text`, which is empty then. Of more than
 * SC_ACROSS_REMARKS_MOST the rest is counted. */
void sc_across_remarks_add(struct sc_across_remarks *all, uint32_t process, struct sc_remark remark,
			   struct sc_buf *text);
/* By process, and in the order of its operations. */
void sc_across_remarks_sort(struct sc_across_remarks *all);
/* Appends the mark for a place, after " at ". */
void sc_across_remark_place(struct sc_buf *out, uint32_t process, uint64_t sequence);
/* Who puts a place into words; false: it is not known, and neither it nor " at " is shown. */
typedef bool (*sc_across_place)(void *data, struct sc_buf *out, uint32_t process,
				uint64_t sequence);
/* Calls `see` for each mark of a place. */
void sc_across_remarks_places(const struct sc_across_remarks *all,
			      void (*see)(void *data, uint32_t process, uint64_t sequence),
			      void *data);
/* Replaces all marks of places. */
void sc_across_remarks_name(struct sc_across_remarks *all, sc_across_place name, void *data);
void sc_across_remarks_fini(struct sc_across_remarks *all);

#define SC_ACROSS_REMARKS_MOST 100000
