/* Talk: order that operations make by words in memory while they run (M-4, D-7, W-1).
 *
 * An observer may wait for a word: a kernel with strong loads, a host function or the host that
 * reads, also by copies. A publisher may give the word its value: a kernel with strong stores, a
 * write of a stream, a copy, a fill, a host function, the host. The trace has neither moment.
 * Whatever comes before a publisher may therefore come before an observer that had not ended, and
 * before whatever comes after that observer, also through several of them; no race between the two
 * is proven then.
 *
 * Who publishes to an observer is not settled before the observer ends: a pair of which only one
 * that still runs could order the two is judged when the host knows its end
 * (rules/race/race_held.c). Kernels whose code is not known count as silent, but those of NCCL,
 * which hand results to each other. Naive form: an edge from each publisher to each observer whose
 * word it may write, unless it comes after the observer's end, and a search for a path. Memory: the
 * observers in flight, and for each the last publisher of each lane, which knows all that earlier
 * ones know.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/clock/interval.h"
#include "analyzer/order/host.h"
#include "base/vector.h"

#define SC_TALK_WORDS 16

/* Whom words reach: the host and all devices, the kernels of a device, other kernels of a library
 * that hand results to each other, or copies, whose results the host looks at: of a word, or of
 * many bytes among which words may be. Bits. */
enum sc_talk_reach {
	SC_TALK_HOST = 1,
	SC_TALK_DEVICE = 2,
	SC_TALK_COLLECTIVE = 4,
	SC_TALK_COPY = 8,
	SC_TALK_COPY_OF_MANY = 16,
	SC_TALK_PASSES_ON = 32, /* of an observer: a copy to the device, for which nobody waits */
	SC_TALK_PLAIN = 64	/* of a publisher: a copy or fill, perhaps of data */
};

/* Bytes in which words may be. */
struct sc_talk_words {
	bool is_any;  /* anywhere */
	bool is_host; /* some of them the host can access */
	uint8_t count;
	struct {
		uint64_t first, end;
	} bytes[SC_TALK_WORDS];
};

typedef SC_VECTOR(struct sc_interval) sc_talk_lanes; /* the last of each lane; clocks owned */

/* One, or several of one lane that follow each other and count as one. */
struct sc_observer {
	struct sc_interval when; /* of the last; clock owned */
	uint64_t first;		 /* position of the first */
	uint64_t known;		 /* when the host knew its end; 0: it does not */
	unsigned reach;
	bool is_open; /* it may observe whatever was enqueued before */
	bool waits;   /* it does, or the host for what it brings; else it passes words on */
	bool is_flag; /* what it reads is no data, as others wrote it */
	struct sc_talk_words words;
	sc_talk_lanes publishers;
};

/* The host may have learned of these by a word. */
struct sc_heard {
	uint64_t at, last; /* from when until when it read the same */
	sc_talk_lanes publishers;
};

struct sc_talks {
	struct sc_clock_pool *pool; /* borrowed */
	SC_VECTOR(struct sc_observer) observers;
	SC_VECTOR(struct sc_heard) heard;
	sc_talk_lanes to_host; /* publish to the host */
	sc_talk_lanes wild;    /* kernels that publish, where is not known */
	sc_talk_lanes called;  /* host functions, which may write what the host can */
	sc_talk_lanes collectives;
	sc_talk_lanes open;  /* kernels that may write where is not known, published or not */
	uint64_t await_host; /* observers of the host's words, of which the host knows no end */
	uint64_t pending;    /* observers whose end the host does not know */
	uint64_t version;    /* of the host's clock when it was asked last */
	uint64_t answers;    /* publishers so far that came later than a kernel that may wait for
				them; what the host did meanwhile, where it may write the word */
	bool has_publishers; /* something wrote words that copies may see */
	struct {
		uint32_t lane;
		uint64_t position;
	} last; /* the kernel or launch that talked last */
};

/* The sides of a pair; what a callback does is the host's. */
struct sc_talk_pair {
	const struct sc_interval *x, *y;
	bool x_is_host, y_is_host;
	uint64_t x_known, y_known; /* when the host knew the end of an operation; 0: it does not */
};

/* Who may order a pair; positions, which of operations of streams are sequence + 1; 0: the host. */
struct sc_talk_way {
	uint64_t publisher, observer;
	bool is_back; /* x would come after y */
};

void sc_talks_fini(struct sc_talks *all);
static inline bool sc_talk_overlap(const struct sc_talk_words *a, const struct sc_talk_words *b)
{
	if (a->is_any || b->is_any)
		return 1;
	for (unsigned i = 0; i < a->count; i++)
		for (unsigned k = 0; k < b->count; k++)
			if (a->bytes[i].first < b->bytes[k].end &&
			    b->bytes[k].first < a->bytes[i].end)
				return 1;
	return 0;
}
/* Adds bytes, at least one; too many of them are anywhere. */
void sc_talk_words_add(struct sc_talk_words *w, uint64_t first, uint64_t end, bool is_host);

/* The op publishes to all observers in flight whose words it may write. Words that are anywhere and
 * the host's are those that the host can access. */
void sc_talk_publish(struct sc_talks *all, const struct sc_interval *op, unsigned reach,
		     const struct sc_talk_words *words);
/* A list of `all` gets an op. */
void sc_talk_keep(struct sc_talks *all, sc_talk_lanes *list, const struct sc_interval *op);
/* The op may write anywhere, though it may publish nothing. */
void sc_talk_note_open(struct sc_talks *all, const struct sc_interval *op);
/* The op observes. The observer is valid until the next one. */
struct sc_observer *sc_talk_observe(struct sc_talks *all, const struct sc_interval *op,
				    unsigned reach, const struct sc_talk_words *words);
/* What came before the observer may have published to it. */
void sc_talk_add_publisher(struct sc_talks *all, struct sc_observer *v,
			   const struct sc_interval *op);
/* The host reads at a position, outside of callbacks: it may learn of all that publishes to it.
 * Returns what it may have learned, to which more may be added. */
struct sc_heard *sc_talk_hear(struct sc_talks *all, uint64_t at);
void sc_talk_hear_of(struct sc_talks *all, struct sc_heard *h, const struct sc_interval *op);
/* The host knows more: notes the ends of observers. */
void sc_talk_learn(struct sc_talks *all, const struct sc_host *host, uint64_t at);
/* Forgets those that can order nothing any more. */
void sc_talk_forget(struct sc_talks *all, const struct sc_host *host);

/* True if words in memory may order the two; `way` gets by what. */
bool sc_talk_may_order(const struct sc_talks *all, const struct sc_talk_pair *p,
		       struct sc_talk_way *way);
/* True if an observer that has not ended may yet order a pair of operations of streams. */
bool sc_talk_is_open(const struct sc_talks *all, const struct sc_talk_pair *p);
/* True if a kernel that begins after the op publishes to the host, which may then know that the op
 * is over. */
bool sc_talk_may_end(const struct sc_talks *all, const struct sc_interval *x);
/* True if the op talks; it is the newest one. */
static inline bool sc_talk_is_last(const struct sc_talks *all, const struct sc_interval *op)
{
	return all->last.position && all->last.lane == op->lane &&
	       all->last.position == op->position;
}
