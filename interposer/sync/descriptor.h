/* Which file, by which threads synchronize, a descriptor stands for: a pipe, one direction of a
 * pair of sockets, an eventfd.
 *
 * A file is known by a number of its own, never by the descriptor's, which is given out again:
 * pipes and sockets by their inode, of whom the socket at the other end is, what
 * socketpair() said. All eventfds have one inode, so one of them is its descriptor from when that
 * was made or closed last; a duplicate of it counts as another file. What cannot be known has no
 * number, and so orders nothing.
 *
 * The answer is kept until the descriptor is closed, or given out, by a function that we see. Two
 * system calls the first time, then some loads; no heap, no lock where it is kept, errno untouched.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>
#include "interposer/core/lock.h"

#define SC_DESCRIPTOR_KIND (UINT64_C(15) << 60) /* bits of a number that say what file it is */
#define SC_DESCRIPTORS	   1024			/* whose file is kept */
#define SC_SOCKET_PAIRS	   256			/* the last ones are remembered */

/* Numbers of files; 0: nothing that is followed. */
struct sc_descriptor {
	uint64_t in;  /* what is read from it */
	uint64_t out; /* what is written to it */
};

struct sc_descriptor_slot {
	atomic_uint version; /* odd: it is being written */
	atomic_uint birth;   /* times that one of its descriptors was made or closed */
	atomic_int fd;	     /* + 1; 0: nothing is kept */
	_Atomic uint64_t in, out;
};

struct sc_socket_pair {
	_Atomic uint64_t first, second; /* inodes; 0: it is being written */
};

struct sc_socket_pairs {
	atomic_uint made;
	struct sc_socket_pair pair[SC_SOCKET_PAIRS];
};

struct sc_descriptors {
	struct sc_lock lock;
	struct sc_descriptor_slot slot[SC_DESCRIPTORS];
	struct sc_socket_pairs pairs; /* outlives a session: event loops make theirs early */
};

extern struct sc_descriptors sc_descriptors;

/* Not from inside the recorder. */
struct sc_descriptor sc_descriptor_find(int fd);
/* The descriptor stands for another file from here on. Takes no lock. */
void sc_descriptor_forget(int fd);
/* The descriptor stands for no file; in a child of vfork, which has descriptors of its own, that is
 * not recorded. */
void sc_descriptor_close(int fd);
/* Two connected sockets were made. */
void sc_descriptor_pair(const int ends[2]);
