/* Stream capture: streams whose work becomes graph nodes instead of running (rules G-1 to G-5).
 *
 * A capture owns its graph until it ends and knows its origin; every stream in it points to it and
 * holds the set of nodes that its next node depends on. An illegal call invalidates the capture:
 * it then only answers errors until cuStreamEndCapture.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "simulator/driver/graph/edges.h"

struct sim_capture {
	unsigned int refs;
	uint64_t id;
	CUgraph graph;	 /* owned until the end unless is_foreign */
	bool is_foreign; /* cuStreamBeginCaptureToGraph: the graph is the application's */
	CUstream origin; /* NULL once that stream is gone */
	CUstreamCaptureMode mode;
	uint64_t thread; /* that began it */
	CUresult broken; /* CUDA_SUCCESS, or why it was invalidated */
	struct sim_capture *next;
};

/* May the calling thread make a potentially unsafe call (G-5)? If not, the captures break. */
CUresult sim_capture_check_unsafe(void);

/* May work be enqueued into the stream? 901 for a broken capture, 906 for the legacy stream. */
CUresult sim_capture_check_work(CUstream stream);

/* May the stream be synchronized or queried, or used by a synchronous call? Breaks the capture. */
CUresult sim_capture_check_wait(CUstream stream);

/* The same for all streams of a context. */
CUresult sim_capture_check_context(CUcontext context);

/* Breaks the stream's capture and returns the error. */
CUresult sim_capture_break(CUstream stream, CUresult error);

/* The same for a capture of that id, if it is still going on. */
void sim_capture_break_id(uint64_t id, CUresult error);

/* Draws a stream that does not capture into capture `id`, after the nodes `heads` (G-3). */
CUresult sim_capture_fork(CUstream stream, uint64_t id, const struct sim_edges *heads);

/* What the next node of the stream depends on; copies the list, whose data may be NULL. */
CUresult sim_capture_set_heads(CUstream stream, const struct sim_edges *heads);

/* The same, added to the present heads; of two dependencies on one node the stronger counts. */
CUresult sim_capture_add_heads(CUstream stream, const struct sim_edges *heads);

/* The next node need not wait for the end of the kernel before it (L-2). */
void sim_capture_loosen(CUstream stream);

/* A node for captured work, after the stream's heads; the node becomes the only head. */
CUresult sim_capture_node(CUstream stream, CUgraphNodeType type, CUgraphNode *node);

/* A new capture with one reference; into the application's graph if that is not NULL. */
struct sim_capture *sim_capture_new(CUstream origin, CUstreamCaptureMode mode, CUgraph graph);

/* Does everything that other streams captured come before the origin's next node (G-3)? */
bool sim_capture_is_joined(const struct sim_capture *capture);

/* All streams leave; the caller must hold a reference of its own. */
void sim_capture_leave_all(struct sim_capture *capture);

/* 906 for the legacy stream while a blocking stream captures; breaks nothing (G-4, exception). */
CUresult sim_capture_check_legacy(CUstream stream);

/* The stream takes part in the capture from now on. */
void sim_capture_enter(CUstream stream, struct sim_capture *capture);
void sim_capture_leave(CUstream stream);

/* The stream is about to be freed. */
void sim_capture_forget_stream(CUstream stream);

void sim_capture_put(struct sim_capture *capture);
