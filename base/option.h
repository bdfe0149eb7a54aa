/* Options: one table (option.def) read from the environment, the command line, or both.
 *
 * No heap: the recorder reads its options inside the traced program. Unknown names and bad values
 * are errors with a message; they never stop the program that is being checked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SC_OPTION_TEXT_BYTES 512
#define SC_OPTION_LIST_MAX   9	 /* values of one option; at least one for each report format */
#define SC_OPTIONS_MAX	     128 /* rows of option.def */

struct sc_option_list {
	char text[SC_OPTION_LIST_MAX][SC_OPTION_TEXT_BYTES];
	unsigned count;
};

struct sc_options {
#define SC_OPTION_TEXT(member, name, value, shown, help)      char member[SC_OPTION_TEXT_BYTES];
#define SC_OPTION_NUMBER(member, name, value, min, max, help) uint64_t member;
#define SC_OPTION_SIZE(member, name, value, help)	      uint64_t member;
#define SC_OPTION_CHOICE(member, name, value, words, help)    uint64_t member;
#define SC_OPTION_LIST(member, name, shown, help)	      struct sc_option_list member;
#include "base/option.def"
#undef SC_OPTION_TEXT
#undef SC_OPTION_NUMBER
#undef SC_OPTION_SIZE
#undef SC_OPTION_CHOICE
#undef SC_OPTION_LIST
	bool is_given[SC_OPTIONS_MAX]; /* by index: it was set, maybe to its default */
};

/* Indices of the words in option.def. */
enum { SC_FORMAT_TEXT, SC_FORMAT_JSON };
enum { SC_GUARD_OFF, SC_GUARD_FULL, SC_GUARD_SPARSE, SC_GUARD_ALWAYS };
enum { SC_PROFILE_STRICT, SC_PROFILE_REFERENCE, SC_PROFILE_PERMISSIVE };
enum { SC_COLOR_AUTO, SC_COLOR_ALWAYS, SC_COLOR_NEVER };
enum { SC_FOOTPRINTS_NO, SC_FOOTPRINTS_YES, SC_FOOTPRINTS_RECORDED };
enum { SC_RUN_AUTO, SC_RUN_GPU, SC_RUN_SIM };
enum { SC_ALLOCATORS_OWN, SC_ALLOCATORS_VISIBLE, SC_ALLOCATORS_FOLLOWED };

/* Words of option html. */
enum { SC_HTML_AUTO, SC_HTML_NO, SC_HTML_YES };

/* Index of an option's row, or -1. */
int sc_options_find(const char *name, size_t bytes);
/* The name of the option of that index; NULL: there are no more. */
const char *sc_options_name(int index);
/* True if both have the same value of the option of that index. */
bool sc_options_are_same(const struct sc_options *a, const struct sc_options *b, int index);
/* True if the option of that index takes several values. */
bool sc_options_is_list(int index);
/* Every option to its default. */
void sc_options_init(struct sc_options *o);
/* Sets one option from "name=value". Returns 0 or -EINVAL with a one-sentence message. */
int sc_options_set(struct sc_options *o, const char *assignment, char *message, size_t bytes);
/* Sets several from "name=value:name=value" (a ':' inside a value is written "\:"; `report` values
 * keep the ':' after their format). Goes on after an error; returns 0 or the last error. */
int sc_options_parse(struct sc_options *o, const char *text, char *message, size_t bytes);
/* Writes all options that differ from their default as one "name=value:…" string, so that a parent
 * can hand them to a child. Returns 0 or -ENOSPC. */
int sc_options_print(const struct sc_options *o, char *out, size_t bytes);
/* The same of those only that a trace names (recorded.def). */
int sc_options_print_recorded(const struct sc_options *o, char *out, size_t bytes);
/* Writes the option of that index as "name=value", also if it has its default, without escapes; of
 * a list nothing. Returns 0 or -ENOSPC. */
int sc_options_print_one(const struct sc_options *o, int index, char *out, size_t bytes);
/* Expands a file name pattern: %p (process id), %r (rank), %q{NAME} (variable of the environment)
 * and %%. A rank below 0 is taken from the environment, and is 0 if that has none. Returns 0 or
 * -ENAMETOOLONG. */
int sc_options_expand_for(const char *pattern, int process, int rank, char *out, size_t bytes);
int sc_options_expand(const char *pattern, int process, char *out, size_t bytes);
/* The name of process `process` beside those of others: ".PID" before the ending of the file's
 * name. Returns 0 or -ENAMETOOLONG. */
int sc_options_number(const char *path, int process, char *out, size_t bytes);
/* Rank that a launcher (mpirun, srun, torchrun) gave to this process, or -1. */
int sc_options_rank(void);
/* Prints the table for --help, one line an option. */
void sc_options_help(void (*line)(void *context, const char *text), void *context);

/* Reads "512m"; false if it is no size. */
bool sc_options_read_size(const char *text, uint64_t *bytes);
