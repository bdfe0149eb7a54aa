/* Planes: memory of a context in which launches are recorded, each in a plane of its own
 * (kernels/recording.h), and how far each plane is.
 *
 *	FREE → TAKEN (a launch is about to be made) → RUNNING (launched, `collect` after it)
 *	     → READING (its runs are there, one thread reads them) → FREE
 *
 * A launch of a graph has a head, which goes the same way, and a plane for each recorded node,
 *which stays TAKEN until all of the head's are read.
 *
 * All memory is taken when the context is made, before the program captures or runs anything.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include "interposer/sanitizer/api.h"
#include "kernels/recording.h"

#define SC_PLANES      64u
#define SC_HEADS       8u
#define SC_PLANE_RUNS  (1u << 15) /* half a MiB of host memory */
#define SC_PLANE_PAGES (1u << 14)

enum sc_plane_state {
	SC_PLANE_FREE,
	SC_PLANE_TAKEN,
	SC_PLANE_RUNNING,
	SC_PLANE_READING,
	SC_PLANE_LOST
};

struct sc_plane_slot {
	atomic_int state; /* enum sc_plane_state */
	void *plane;	  /* struct sc_plane, in device memory */
	struct sc_runs *runs;
	struct sc_planes *planes;
	uint64_t launch;    /* its op's sequence number + 1 */
	bool has_constants; /* the kernel's module has variables in constant memory */
};

/* A recorded node of a launch of a graph. */
struct sc_head_node {
	uint32_t index;		    /* of the node in the trace */
	struct sc_plane_slot *slot; /* NULL: what it touches is not known */
};

struct sc_head {
	atomic_int state;	     /* enum sc_plane_state */
	void *plane;		     /* struct sc_plane, in device memory */
	struct sc_plane_grid *grids; /* in device memory */
	struct sc_plane_grid *host;  /* what is copied there: host memory that lasts */
	struct sc_planes *planes;
	uint64_t launch; /* its op's sequence number + 1 */
	uint32_t count;
	bool is_cut; /* there are others, of which nothing is known */
	struct sc_head_node node[SC_GRIDS];
};

struct sc_planes {
	CUcontext context;
	bool has_patches;	    /* they were added to the context */
	unsigned tries;		    /* to have memory */
	atomic_bool is_usable;	    /* until the context is destroyed */
	atomic_int collector_state; /* 0: not loaded, 1: being loaded, 2: there, 3: failed */
	CUfunction collector;
	uint64_t bytes; /* of device memory, for bits; keys and lists take little more */
	struct sc_plane_slot slot[SC_PLANES];
	struct sc_head head[SC_HEADS];
};

/* Takes `most` bytes of the context's device memory for bits, less where there is less. False:
 * there is too little. Inside a callback. */
bool sc_planes_make(struct sc_planes *planes, const struct sc_sanitizer_calls *calls,
		    CUcontext context, uint64_t most);
/* How many places the table has within `most` bytes: a power of two, or 0. */
uint32_t sc_planes_places(uint64_t most);
/* A plane that was free, or NULL. */
struct sc_plane_slot *sc_planes_take(struct sc_planes *planes);
bool sc_planes_have_free(struct sc_planes *planes);
/* True for one caller, once a launch's runs are there: it reads them and puts the plane back. */
bool sc_plane_begin_reading(struct sc_plane_slot *slot);
void sc_plane_put_back(struct sc_plane_slot *slot);

/* A head that was free, for a launch whose first node is about to be given its data; its table is
 * emptied in order of the stream, which is the API's own handle. NULL: none, or that failed. */
struct sc_head *sc_heads_take(struct sc_planes *planes, const struct sc_sanitizer_calls *calls,
			      void *stream);
/* Node `index`, of which the API says that its grid will have this number, gets the plane. False:
 * it was not added. */
bool sc_head_add(struct sc_head *head, const struct sc_sanitizer_calls *calls, void *stream,
		 uint32_t index, uint64_t number, struct sc_plane_slot *slot);
/* As with planes: once the runs of all of its nodes are there. */
bool sc_head_begin_reading(struct sc_head *head);
/* With the planes of its nodes. */
void sc_head_put_back(struct sc_head *head);
