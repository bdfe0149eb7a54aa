/* The part of OpenMP's tools interface (OMPT, OpenMP 5.0, chapter 4) that ompt.c uses.
 *
 * A runtime that has it asks `ompt_start_tool` at its start whether there is a tool, and then calls
 * what the tool has set. Numbers and signatures are those of the standard.
 */
#ifndef SC_INTERPOSER_OPENMP_OMPT_H
#define SC_INTERPOSER_OPENMP_OMPT_H

#include <stdint.h>

/* What a tool keeps for a region or a task; NULL at first. */
union sc_ompt_data {
	uint64_t value;
	void *pointer;
};

/* Events: callbacks by number, and what they are called with. */
enum sc_ompt_event {
	SC_OMPT_PARALLEL_BEGIN = 3,
	SC_OMPT_PARALLEL_END = 4,
	SC_OMPT_TASK_CREATE = 5,
	SC_OMPT_TASK_SCHEDULE = 6,
	SC_OMPT_IMPLICIT_TASK = 7,
	SC_OMPT_MUTEX_RELEASED = 17,
	SC_OMPT_SYNC_REGION = 23,
	SC_OMPT_MUTEX_ACQUIRED = 27
};

enum sc_ompt_endpoint { SC_OMPT_BEGIN = 1, SC_OMPT_END = 2 };

enum sc_ompt_status { SC_OMPT_TASK_COMPLETE = 1, SC_OMPT_TASK_CANCEL = 3, SC_OMPT_TASK_DETACH = 4 };

enum sc_ompt_region {
	SC_OMPT_BARRIER = 1,
	SC_OMPT_BARRIER_IMPLICIT = 2,
	SC_OMPT_BARRIER_EXPLICIT = 3,
	SC_OMPT_BARRIER_IMPLEMENTATION = 4,
	SC_OMPT_TASKWAIT = 5,
	SC_OMPT_TASKGROUP = 6,
	SC_OMPT_REDUCTION = 7,
	SC_OMPT_BARRIER_WORKSHARE = 8,
	SC_OMPT_BARRIER_PARALLEL = 9,
	SC_OMPT_BARRIER_TEAMS = 10
};

enum sc_ompt_mutex { SC_OMPT_ATOMIC = 6 };

#define SC_OMPT_TASK_INITIAL  0x01
#define SC_OMPT_TASK_EXPLICIT 0x04

typedef void sc_ompt_callback(void);
typedef void *sc_ompt_lookup(const char *name);
typedef int sc_ompt_set_callback(int event, sc_ompt_callback *callback);

struct sc_ompt_tool {
	int (*initialize)(sc_ompt_lookup *lookup, int device, union sc_ompt_data *data);
	void (*finalize)(union sc_ompt_data *data);
	union sc_ompt_data data;
};

typedef struct sc_ompt_tool *sc_ompt_start(unsigned version, const char *runtime);

#endif
