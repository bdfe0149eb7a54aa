/* Planes: memory of a context in which launches are recorded, each in a plane of its own
 * (kernels/recording.h), and how far each plane is.
 *
 *	FREE → TAKEN (a launch is about to be made) → RUNNING (launched, `collect` after it)
 *	     → READING (its runs are there, one thread reads them) → FREE
 *
 * All memory is taken when the context is made, before the program captures or runs anything.
 */
#ifndef SC_INTERPOSER_SANITIZER_PLANE_H
#define SC_INTERPOSER_SANITIZER_PLANE_H

#include <stdatomic.h>
#include <stdbool.h>
#include "interposer/sanitizer/api.h"
#include "kernels/recording.h"

#define SC_PLANES      32u
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
	uint64_t launch; /* its op's sequence number + 1 */
};

struct sc_planes {
	CUcontext context;
	atomic_bool is_usable;	    /* until the context is destroyed */
	atomic_int collector_state; /* 0: not loaded, 1: being loaded, 2: there, 3: failed */
	CUfunction collector;
	uint64_t bytes; /* of device memory, for bits; keys and lists take little more */
	struct sc_plane_slot slot[SC_PLANES];
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

#endif
