/* Recordings: memory on the GPU in which patched kernels note what they touch, and what is made of
 * that for the host. Shared by device code (record.cu, collect.cu) and the recorder.
 *
 * One table for all launches that are being recorded. A place of it stands for a page of memory,
 * one use of it, and one launch; it owns SC_PAGE_WORDS words of bits. There is a bit for each four
 * bytes, or, of a page that is noted byte by byte, for each byte. Places are claimed by the first
 * thread that needs one and freed by `collect`, which runs in the launch's stream after it, writes
 * runs of bits to host memory, and clears them. A place that was freed may let a later search end
 * too early; then the page is claimed a second time, which does no harm.
 */
#pragma once

#include <stdint.h>

#define SC_PAGE_WORDS	 4096 /* of 32 bits */
#define SC_PAGE_BITS_LOG 17
#define SC_PAGE_BYTES	 (SC_PAGE_WORDS * 4)
#define SC_PLACES_MOST	 (1u << 19) /* the number of a word has 31 bits */

/* What is done to bytes. COPY: an asynchronous copy of four, eight or sixteen aligned bytes into
 * shared memory reads the first of them, and perhaps not all: the rest may be filled with zeros. */
enum sc_record_use { SC_RECORD_READ, SC_RECORD_WRITE, SC_RECORD_ATOMIC, SC_RECORD_COPY };

/* The key of a place, 0: it is free. */
#define SC_KEY(plane, page, use, is_fine) \
	((uint64_t)((plane) + 1) << 48 | (uint64_t)(page) << 3 | (uint64_t)(use) << 1 | (is_fine))
#define SC_KEY_PAGE(key)    ((key) << 16 >> 19)
#define SC_KEY_USE(key)	    ((uint32_t)((key) >> 1 & 3))
#define SC_KEY_IS_FINE(key) ((uint32_t)((key)&1))

/* Bytes side by side: [first, end). */
struct sc_run {
	uint64_t first;
	uint64_t end_use; /* end << 8 | enum sc_record_use << 1 | whether there are gaps in it */
};

/* What `collect` writes, in host memory. */
struct sc_runs {
	uint32_t is_ready; /* 1: all that follows is there */
	uint32_t count;
	uint64_t lost;	  /* 1: there was no place for some accesses */
	uint32_t barrier; /* 1: the launch used a barrier in shared memory, as tensor copies do */
	uint32_t spare;
	struct sc_run run[];
};

#define SC_GRIDS 64 /* nodes of one launch of a graph that are recorded */

struct sc_plane;

/* A node's plane, by the number that its grid has in this launch of its graph; number 0: no more
 * of them. */
struct sc_plane_grid {
	uint64_t number;
	struct sc_plane *plane;
};

/* A plane, in device memory: what is noted of one launch. Its address is the patches' user data.
 * All nodes of a graph get the same address, of a head: a plane that only leads to theirs. */
struct sc_plane {
	const struct sc_plane_grid *grids; /* SC_GRIDS of a head; NULL: this is a launch's own */
	uint64_t *keys;			   /* of the table's places */
	uint32_t *words;		   /* SC_PAGE_WORDS of each place */
	uint32_t *used;			   /* places of this launch */
	struct sc_runs *runs;
	uint32_t mask;	    /* of places: a power of two, less one */
	uint32_t number;    /* of the plane */
	uint32_t used_most; /* as many fit into `used` */
	uint32_t runs_most; /* as many fit into `runs`; more than used_most */
	uint32_t used_count;
	uint32_t runs_count;
	uint32_t blocks_done; /* of `collect` */
	uint32_t barrier;
	uint64_t lost; /* 1: there was no place for some accesses */
};
