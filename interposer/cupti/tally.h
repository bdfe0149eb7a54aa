/* Launches joined to CUPTI's records by counting, since a report of each launch costs as much
 * again.
 *
 * While one thread launches, CUPTI calls us for everything but launches. The numbers that it gives
 * to calls grow: the launches that the thread made between two numbers that CUPTI reported
 * (anchors), a stretch, have the numbers in between, and so have the records of their kernels. (A
 * call of the runtime and those that it makes of the driver can have one number; an anchor of ours
 * inside a launch has the number of that launch, or a later one.) A stretch whose records are as
 * many as its launches, and of the same grids and blocks, is joined one by one in the order of
 * numbers, in whichever order the records came; any other is not joined, and ends the counting. So
 * does a second thread that launches: from then on CUPTI calls us for launches, too.
 *
 * The launching thread fills its stretch without a lock; who settles a closed one owns it.
 */
#ifndef SC_INTERPOSER_CUPTI_TALLY_H
#define SC_INTERPOSER_CUPTI_TALLY_H

#include "interposer/core/lock.h"
#include "trace/op.h"

#define SC_STRETCH   256 /* launches of a stretch, at most */
#define SC_LINK_BITS 48	 /* of a launch, below its shape */
#define SC_STRETCHES 128 /* that are not settled, at most: 16,384 launches and more */

struct sc_tally_record {
	uint64_t start_ns, length_ns;
	uint32_t number; /* of its call */
	uint16_t shape;
	uint8_t device;
	bool has_ended; /* its times are known */
};

enum sc_stretch_state {
	SC_STRETCH_GROWS,
	SC_STRETCH_CLOSED,  /* no launch is added any more */
	SC_STRETCH_SETTLES, /* no record either: a thread writes it */
	SC_STRETCH_SETTLED
};

struct sc_tally_stretch {
	uint32_t after, before; /* numbers of the anchors around it */
	uint32_t launches, records;
	enum sc_stretch_state state;
	bool is_open_ended;	     /* it was closed without a second anchor */
	uint64_t launch[SC_STRETCH]; /* shape above, sequence number + 1 of the op below; 0: none */
	struct sc_tally_record record[SC_STRETCH];
};

/* What a tally needs of CUPTI. */
struct sc_tally_calls {
	void (*anchor)(void *data);	      /* a call of ours, whose number CUPTI reports */
	void (*tell)(void *data, bool which); /* whether CUPTI reports launches; at first it does */
	void *data;
};

struct sc_launch_tally {
	atomic_uint thread;   /* that launches; SC_TALLY_NOBODY at first */
	atomic_bool has_news; /* to be looked at before the next launch: doubts; it is the second */
	atomic_bool is_over;  /* CUPTI reports launches, for good */
	bool is_counting;     /* the launching thread's; CUPTI reports its first launch */
	struct sc_tally_stretch *now; /* the one that grows; the launching thread's */
	struct sc_lock lock;	      /* of what follows */
	uint64_t first, last;	      /* numbers of the stretches that are not settled */
	struct sc_tally_stretch *stretch;
	struct sc_tally_calls calls;
};

#define SC_TALLY_NOBODY UINT32_MAX

/* False: no memory. `t` is zeros. */
bool sc_tally_init(struct sc_launch_tally *t, struct sc_tally_calls calls);
/* Grid and block, in a number to compare. */
static inline uint16_t sc_tally_shape(const uint32_t grid[3], const uint32_t block[3])
{
	uint32_t sum = grid[0] * 3 + grid[1] * 5 + grid[2] * 17;

	sum += block[0] * 257 + block[1] * 1031 + block[2] * 4099;
	return (uint16_t)(sum ^ sum >> 16);
}

/* The slow halves of the two below. */
void sc_tally_begin_launch(struct sc_launch_tally *t);
void sc_tally_close(struct sc_launch_tally *t);

/* The calling thread is about to launch. */
static inline void sc_tally_expect(struct sc_launch_tally *t)
{
	if (atomic_load_explicit(&t->thread, memory_order_relaxed) != sc_self.id ||
	    atomic_load_explicit(&t->has_news, memory_order_relaxed))
		sc_tally_begin_launch(t);
	sc_self.is_told = false;
}

/* The thread launched, with success; `link` is the sequence number + 1 of the op, or 0. */
static inline void sc_tally_launched(struct sc_launch_tally *t, uint64_t link, uint16_t shape)
{
	struct sc_tally_stretch *s = t->now;

	if (atomic_load_explicit(&t->thread, memory_order_relaxed) != sc_self.id ||
	    sc_self.is_told || s->launches >= SC_STRETCH)
		return;
	s->launch[s->launches++] = link | (uint64_t)shape << SC_LINK_BITS;
	if (s->launches == SC_STRETCH)
		sc_tally_close(t);
}

/* CUPTI reports the number of a call that the calling thread makes. */
void sc_tally_anchor(struct sc_launch_tally *t, uint32_t number);
/* A record of a call that CUPTI did not report; false: the record is in no stretch. */
bool sc_tally_take(struct sc_launch_tally *t, const struct sc_tally_record *record);
/* Writes the stretches that are complete, at the end all. Returns how many records have no op. */
uint64_t sc_tally_settle(struct sc_launch_tally *t, bool is_last);

#endif
