/* A map from a number (a handle, an address) to a pointer, for the recorder.
 *
 * Open addressing in arena memory. Readers take no lock and may run in a signal handler; writers
 * exclude each other by the table's lock. A reader that overlaps growth may miss a key that is
 * being inserted at that moment, never one that was there before. A record is replaced under its
 * key, or removed; the place of a removed one is free after the next time that the slots are
 * renewed, which costs a fraction of a store for each insertion. The memory is a few times what the
 * most records took that were there at once.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "interposer/core/lock.h"

struct sc_table_slots;

struct sc_table {
	struct sc_lock lock;
	atomic_uint generation;		      /* times that the slots were replaced */
	struct sc_table_slots *_Atomic slots; /* owned by the arena; NULL: empty */
	struct sc_table_slots *spare;	      /* those before them; under the lock */
};

/* The record under `key`, or NULL. Key 0 is never present. */
void *sc_table_get(struct sc_table *table, uint64_t key);
/* Puts a record under a key, replacing what is there. Returns 0, or -ENOMEM. */
int sc_table_put(struct sc_table *table, uint64_t key, void *record);
/* The same; *before becomes what was there, or NULL. */
int sc_table_replace(struct sc_table *table, uint64_t key, void *record, void **before);
/* Empties the key's place if this record is there; false if it is not. */
bool sc_table_clear(struct sc_table *table, uint64_t key, const void *record);
/* The same as sc_table_put unless the key has a record. Returns the key's record, or NULL if there
 * is no memory. */
void *sc_table_add(struct sc_table *table, uint64_t key, void *record);

/* Calls `see` for each record. */
void sc_table_visit(struct sc_table *table, void (*see)(void *data, const void *record),
		    void *data);
