/* Watching: the host memory that an enqueued operation uses is protected from here on. */
#pragma once

#include "trace/op.h"

struct sc_enqueued;
struct sc_graph_operands;

/* Watches the host operands of an enqueued copy or fill, or what a kernel's parameters point into.
 */
void sc_guard_watch(const struct sc_enqueued *operation);
/* The same for a launch of an executable graph that reaches these. */
void sc_guard_watch_graph(const struct sc_enqueued *launch, struct sc_graph_operands *operands);
