/* Notes: what runs on the simulated device left behind (base/sim_note.h), read without trust. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/sim_note.h"

struct sc_sim_notes {
	char *data; /* owned */
	size_t bytes;
	unsigned files; /* processes that wrote notes; only those of a single one are read */
};

/* Reads the notes in a folder and removes their files. */
void sc_sim_notes_take(struct sc_sim_notes *n, const char *folder);
void sc_sim_notes_fini(struct sc_sim_notes *n);

/* The note at *position, which moves on to the next one, and its data, of note->data_bytes bytes;
 * false at the end, or where the rest is no note. */
bool sc_sim_notes_next(const struct sc_sim_notes *n, size_t *position, struct sc_sim_note *note,
		       const char **data);
/* The first note of a kind, whose first number is `which`. */
bool sc_sim_notes_find(const struct sc_sim_notes *n, enum sc_sim_note_kind kind, uint64_t which,
		       struct sc_sim_note *note, const char **data);
/* The first note of a kind. */
bool sc_sim_notes_find_kind(const struct sc_sim_notes *n, enum sc_sim_note_kind kind,
			    struct sc_sim_note *note, const char **data);
