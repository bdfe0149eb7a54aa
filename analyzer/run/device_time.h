/* Device times: when the device worked on which op, as CUPTI reported it (DEVICE_TIME ops), and
 * when host functions ran in streams, as the recorder saw.
 *
 * Facts of one run: they say what happened to overlap, never what is ordered. All times here are on
 * the clock of the calls (struct sc_op, time_ns). How exactly they fit is stated by error_ns: the
 * clocks were read together within that much, and no op seems to have begun before it was enqueued
 * by more than that. At most SC_DEVICE_TIMES are kept, 40 bytes each; later ones are counted. While
 * a run is followed fewer are kept: the last ones, and those of ops that findings refer to.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/map.h"
#include "base/vector.h"
#include "trace/reader.h"

#define SC_DEVICE_TIMES ((size_t)1 << 22)

struct sc_device_time {
	uint64_t link; /* sequence number + 1 of the op; 0: not known */
	uint64_t start_ns, end_ns;
	uint64_t queued_ns; /* when the op was enqueued */
	uint32_t node;	    /* of a graph launch; 0: the op itself */
	uint16_t engine;    /* enum sc_engine */
	uint8_t device;
	uint8_t spare;
};

/* A moment that two clocks were read at: the calls' and the device's. */
struct sc_clock_pair {
	uint64_t host_ns, device_ns;
};

struct sc_device_times {
	SC_VECTOR(struct sc_device_time) list;	    /* sorted by link once they are finished */
	SC_VECTOR(struct sc_device_time) callbacks; /* host functions in streams, by link */
	SC_VECTOR(struct sc_clock_pair) pairs;	    /* by device_ns */
	size_t most;				    /* of each of these; 0: SC_DEVICE_TIMES */
	/* NULL: the first ones are kept. Else the last ones, and fewer callbacks and pairs; and
	 * those of ops for which this is true. */
	bool (*is_kept)(const void *data, uint64_t sequence);
	const void *data; /* borrowed: theirs */
	uint64_t error_ns;
	uint64_t lost;	 /* ops whose times were dropped, here or before */
	uint64_t linked; /* times that belong to an op */
	size_t at;	 /* of sc_device_times_visit: next in the list */
};

/* The part of a run that an op took on the device. */
struct sc_device_span {
	uint64_t queued_ns, start_ns, end_ns;
	uint32_t parts;	 /* records of it: nodes of a graph, pieces of a copy */
	uint16_t engine; /* of the first */
};

/* When something happened; a moment begins and ends at once. */
struct sc_time_span {
	uint64_t start_ns, end_ns;
};

/* How long the host waited inside a call that is no wait by name. */
struct sc_device_wait {
	uint64_t start_ns, end_ns; /* both 0: not at all, as far as is known */
};

/* Takes a record of the first pass. */
void sc_device_times_note(struct sc_device_times *t, const struct sc_record *r);
/* All records were seen: aligns the clocks and sorts. */
void sc_device_times_finish(struct sc_device_times *t);
/* Takes each record of a second pass, in order: when ops were enqueued. */
void sc_device_times_visit(struct sc_device_times *t, const struct sc_record *r);
void sc_device_times_fini(struct sc_device_times *t);

/* All records of an op, by their start; returns how many. Waits of the host are among them. */
size_t sc_device_parts_of(const struct sc_device_times *t, uint64_t sequence,
			  const struct sc_device_time **parts);
/* True for a record that says how long the op itself took: no wait of the host, no moment. */
bool sc_device_time_counts(const struct sc_device_time *part);
/* When the device worked on the op; false if that is not known. */
bool sc_device_time_of(const struct sc_device_times *t, uint64_t sequence,
		       struct sc_device_span *span);
/* When an op happened: a moment for what the host does itself, else the device's work. False if
 * that is not known, or the op is NULL. */
bool sc_device_time_when(const struct sc_device_times *t, const struct sc_record *op,
			 struct sc_time_span *out);
struct sc_device_wait sc_device_wait_of(const struct sc_device_times *t, uint64_t sequence);
/* A time of the device's clock on that of the calls. */
uint64_t sc_device_time_align(const struct sc_device_times *t, uint64_t device_ns);
