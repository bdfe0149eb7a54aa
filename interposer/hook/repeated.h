/* Repeated calls: the op of a launch, of an event record or of a wait for an event as it was the
 * last time that the thread made the call with the same handles.
 *
 * Handles are resolved, flags found and names looked up once; after that a call costs one
 * comparison, and little code, which matters where the caches hold the driver's. What differs from
 * call to call is left to the caller: time, stack, attachments. An op is recalled only while its
 * handles mean what they meant: none was destroyed, no kernel was looked up since, the context is
 * the same and nothing captures.
 */
#pragma once

#include <stdbool.h>

struct sc_call;

/* Fills in the call's op, its handles and its HAND function, as they were kept; false: not known.
 */
bool sc_repeated_recall(struct sc_call *call);
/* Remembers a composed call, if it can come again. */
void sc_repeated_keep(const struct sc_call *call);
