/* The order between threads by files: who reads from a pipe, a socket of a pair or an eventfd comes
 * after those who wrote to it before (T-3). And by words that a program hands to the kernel itself:
 * who was woken at a futex comes after those who woke there.
 *
 * A write is a release, noted before it happens; a read that got something is an acquire, noted
 * after it; both under the rules of sync.h. A write that finds the file full counts too: whoever
 * empties the file comes after the write. Of several writes that wait in a file, a read comes after
 * all, as with a semaphore. That a file is ready (poll, epoll) orders nothing: who relies on it
 * reads.
 *
 * Until this order is needed a call costs one load; then some more, and what descriptor.h says for
 * a descriptor that was not seen before. A file has one of SC_CHANNELS places, of which the one
 * that was used least lately gives way: then an order is missing. Calls come from signal handlers,
 * and between vfork and exec.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "interposer/core/lock.h"

#define SC_CHANNEL_SETS 128
#define SC_CHANNEL_WAYS 4
#define SC_CHANNELS	(SC_CHANNEL_SETS * SC_CHANNEL_WAYS)

struct sc_channel;

struct sc_channels {
	struct sc_lock lock;
	uint64_t uses;
	struct sc_channel *channel; /* SC_CHANNELS of them, of the arena; NULL: no release yet */
};

extern struct sc_channels sc_channels;

/* Code at `caller` is about to write to the descriptor. */
void sc_channel_release(uint64_t caller, int fd);
/* The caller is about to read. Returns the channel to acquire after the read, or 0. */
uint64_t sc_channel_of_read(uint64_t caller, int fd);
/* The same of the word of a futex: the caller wakes others there, or is about to wait. */
void sc_channel_wake(uint64_t caller, uint64_t word);
uint64_t sc_channel_of_wait(uint64_t caller, uint64_t word);
/* The caller has read something, or was woken. */
void sc_channel_acquire(uint64_t channel);
