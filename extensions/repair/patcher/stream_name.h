/* Stream name: what the source at a line calls the stream of an operation that was enqueued there,
 * perhaps by a function that the line calls and passes the stream to.
 */
#ifndef SC_EXTENSIONS_REPAIR_PATCHER_STREAM_NAME_H
#define SC_EXTENSIONS_REPAIR_PATCHER_STREAM_NAME_H

#include "extensions/repair/planner/edit.h"
#include "base/buf.h"
#include "reports/sources/site.h"

enum sc_stream_name {
	SC_STREAM_NAME_NONE, /* the source says nothing: the default stream, or the current one */
	SC_STREAM_NAME_FOUND,
	SC_STREAM_NAME_HIDDEN /* there is a stream that has no name at the line */
};

/* Appends the name at the line of a frame, which is that of the place (sc_own_frame) or NULL. */
enum sc_stream_name sc_stream_name_find(struct sc_buf *out, const struct sc_report *r,
					const struct sc_frame *frame,
					const struct sc_edit_place *place);

#endif
