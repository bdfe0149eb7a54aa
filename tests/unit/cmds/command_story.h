/* Stories: shell lines in a folder with an installed tree, and what they answer. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct outcome {
	int code; /* exit code; 128 + signal */
	char out[1 << 16];
	char err[1 << 16];
};

/* A folder with bin/streamcheck, lib/libstreamcheck.so (a stand-in), race.txt and clean.txt. */
extern char root[64];
extern struct outcome result;

/* Runs a shell line in the folder; $S is the command. */
void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
void assert_holds(const char *text, const char *part);
void write_text(const char *name, const char *text);
int make_tree(void **state);
int remove_tree(void **state);

#define ANY (-1) /* as exit code: it does not matter here */

/* A shell line and what it answers. An expected text is "=whole text", or parts in their order with
 * "…" between them; NULL: it does not matter. */
struct step {
	const char *line;
	int code;
	const char *out, *err;
};

struct story {
	const struct step *steps;
	size_t count;
};

/* Runs the lines one after the other; later ones find what earlier ones left. */
void play(void **state);

#define STORY(rows)                                          \
	{                                                    \
#rows, play, NULL, NULL, &(struct story)     \
		{                                            \
			rows, sizeof(rows) / sizeof(*(rows)) \
		}                                            \
	}
