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

/* Captured work takes the places of the nodes of a graph (G-16). */
struct sim_recapture {
	bool is_on;
	size_t done;			   /* so many nodes were captured again */
	CUgraphRecaptureCallback function; /* NULL: differences are taken over */
	void *data;
};

struct sim_capture {
	unsigned int refs;
	uint64_t id;
	CUgraph graph;			/* owned until the end unless is_foreign */
	bool is_foreign;		/* the graph is the application's */
	struct sim_recapture recapture; /* into the nodes that such a graph has */
	CUstream origin;		/* NULL once that stream is gone */
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

/* A node for captured work, after the stream's heads, without what it does. */
CUresult sim_capture_node(CUstream stream, CUgraphNodeType type, CUgraphNode *node);

/* The node knows what it does, or that failed with `result`. In a recapture *node becomes the one
 * whose place it takes, and the capture breaks if it cannot. */
CUresult sim_capture_place(CUstream stream, CUgraphNode *node, CUresult result);

/* The same, and the node becomes the only head. */
CUresult sim_capture_take(CUstream stream, CUgraphNode node, CUresult result);

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

/* ---- recapture.c: nodes are met in the order in which they were made ---- */

/* GRAPH_RECAPTURE_FAILURE unless work of that type after these nodes is what comes next. */
CUresult sim_recapture_expect(const struct sim_capture *capture, CUgraphNodeType type,
			      const struct sim_edges *before);

/* The node that comes next; valid after sim_recapture_expect. */
CUgraphNode sim_recapture_next(const struct sim_capture *capture);

/* The newest node of the graph is in none any more; it still depends on nodes of it. */
void sim_recapture_take_out(CUgraphNode node);

/* Such a node, complete, replaces what the next node does, after the program's function was asked
 * if the two differ; it is freed in any case. *node becomes the node of the graph. Drops the lock
 * while it calls the program. Where this fails, the nodes before are replaced and the others are
 * not: that is the undefined state that CUDA promises. */
CUresult sim_recapture_replace(struct sim_capture *capture, CUgraphNode *node);

/* Is every node captured again? */
bool sim_recapture_is_complete(const struct sim_capture *capture);
