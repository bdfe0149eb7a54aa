/* File facts: what a program's file says about whether the recorder can be loaded into it, and
 * whether its lines are known. Files may be damaged or hostile: what cannot be read is no fact. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"

#define SC_SCRIPTS_MAX 4 /* interpreters that are scripts */

struct sc_file_facts {
	bool is_elf;
	bool is_32_bit;
	bool is_foreign;   /* for another processor */
	bool is_library;   /* nothing that can be started */
	bool is_static;	   /* no loader: no LD_PRELOAD */
	bool changes_user; /* the loader drops LD_PRELOAD */
	bool is_stripped;  /* neither names of functions nor lines, nor names a file with them */
	bool lacks_lines;  /* of source only, and names no separate file that may have them */
	char interpreter[PATH_MAX]; /* of a script: the program that runs it; else "" */
	char missing[PATH_MAX]; /* of a script: the program that should run it and is not there */
};

void sc_file_facts_read(struct sc_file_facts *f, const char *path);
/* Those of the program that a script is run by; of another file, its own. */
void sc_file_facts_read_run(struct sc_file_facts *f, const char *path);
/* The first obstacle that stops, and what to do about it; returns false if there is none. */
bool sc_file_facts_stop(const struct sc_file_facts *f, const char **what, const char **then);
/* Appends a line for each obstacle (obstacle.def), each with `indent` before it. Returns what to do
 * about the first that stops; NULL: none does. */
const char *sc_file_facts_print(struct sc_buf *out, const struct sc_file_facts *f,
				const char *indent);
