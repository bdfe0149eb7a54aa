/* Shared: objects that several processes know, under the names that all of them use, and the
 * records of those that are events (sharing.h). */
#pragma once

#include "extensions/ranks/across/knowledge.h"
#include "base/vector.h"

struct sc_sharing_use; /* sharing.c */

/* Without gaps: it is hashed as bytes. */
struct sc_sharing_key {
	uint64_t id; /* in the trace of the process */
	uint64_t process;
};

/* A handle's bytes, as a number. */
struct sc_sharing_name {
	uint64_t name; /* key */
	struct sc_sharing_object *object;
	bool is_given;
	unsigned giver;
	uint64_t given;		/* object of the giver */
	bool is_seen;		/* the handle was given */
	struct sc_clock *clock; /* owned: what its giver knew then */
	SC_VECTOR(unsigned) held;
	UT_hash_handle hh;
};

struct sc_sharing_record {
	uint64_t sequence;
	struct sc_clock *clock; /* owned: what is complete when it is */
};

/* The last records of an event by one process in one stream: later ones cover what earlier ones
 * do. */
struct sc_sharing_lane {
	unsigned process;
	uint32_t stream;
	SC_VECTOR(struct sc_sharing_record) records;
};

/* Memory or an event: of one process, or of all that it is the same for. */
struct sc_sharing_object {
	struct sc_sharing_key key;
	struct sc_sharing_object *same; /* that stands for it, or NULL */
	bool is_event;
	bool is_far;	/* those that share it may be on several nodes */
	bool is_spoilt; /* two things go by one name */
	SC_VECTOR(unsigned) sharers;
	SC_VECTOR(struct sc_sharing_use *) uses; /* owned references */
	size_t sweep_at;
	SC_VECTOR(struct sc_sharing_lane) lanes;
	UT_hash_handle hh;
};

struct sc_shared {
	struct sc_knowledge *knowledge;	   /* borrowed */
	struct sc_sharing_name *names;	   /* owned */
	struct sc_sharing_object *objects; /* owned */
	uint32_t unsure; /* lane: 1 after a wait that may have been for this or that record */
};

void sc_shared_init(struct sc_shared *s, struct sc_knowledge *k);
void sc_shared_bind(struct sc_shared *s, unsigned process, const struct sc_across_event *e);
/* A handle is given or opened; who opens knows what the giver knew. */
void sc_shared_hand_over(struct sc_shared *s, unsigned process, const struct sc_across_event *e);
/* Those that wait for a handle go on without what it brings. */
void sc_shared_give_up(struct sc_shared *s);
/* The object of that name, or NULL. */
struct sc_sharing_object *sc_shared_named(const struct sc_shared *s, uint64_t name);
/* The object that stands for one of a process; NULL: nobody else has it. */
struct sc_sharing_object *sc_shared_object(const struct sc_shared *s, unsigned process,
					   uint64_t id);
/* A record, which comes after `clock` (handed over). */
void sc_shared_record(struct sc_shared *s, unsigned process, const struct sc_across_event *e,
		      struct sc_clock *clock);
/* What is complete when a wait is over that the process called now; the caller's. In the lane
 * s->unsure it says if it is not certain which record the wait is for. */
struct sc_clock *sc_shared_wait(struct sc_shared *s, unsigned process, uint64_t event);
void sc_shared_fini(struct sc_shared *s);
