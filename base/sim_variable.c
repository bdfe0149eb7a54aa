/* Variables of the simulated device: the environment compared with a table. */
#include "base/sim_variable.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/option.h"
#include "base/word.h"

#define PREFIX	    "STREAMCHECK_SIM_"
#define LETTERS_OFF 3 /* of a name that may be meant */

static const struct row {
	const char *name, *values;
} rows[] = {
#define SC_SIM_VARIABLE(name, values) {name, values},
#include "base/sim_variable.def"
};

#define ROWS (sizeof(rows) / sizeof(*rows))

static bool is_number(const char *value)
{
	return *value && !value[strspn(value, "0123456789")];
}

/* A word of the row's values, of so many bytes. */
static bool matches(const char *word, size_t bytes, const char *value)
{
	uint64_t unused;

	if (bytes == 1 && *word == 'N')
		return is_number(value);
	if (bytes == 4 && !strncmp(word, "SIZE", 4))
		return sc_options_read_size(value, &unused);
	if (word[bytes - 1] == '*')
		return true;
	if (bytes > 1 && word[bytes - 1] == 'N')
		return !strncmp(word, value, bytes - 1) && is_number(value + bytes - 1);
	return !strncmp(word, value, bytes) && !value[bytes];
}

static bool has_value(const struct row *row, const char *value)
{
	const char *word = row->values;

	for (; *value && *word; word += strcspn(word, "|"), word += *word == '|')
		if (matches(word, strcspn(word, "|"), value))
			return true;
	return !*value;
}

static const struct row *nearest(const char *name, size_t bytes)
{
	size_t best = LETTERS_OFF;
	const struct row *found = NULL;

	for (size_t i = 0; i < ROWS; i++) {
		size_t far = sc_word_distance(name, bytes, rows[i].name);

		if (far <= best) {
			best = far;
			found = &rows[i];
		}
	}
	return found;
}

static const struct row *find_row(const char *name, size_t bytes)
{
	for (size_t i = 0; i < ROWS; i++)
		if (strlen(rows[i].name) == bytes && !memcmp(rows[i].name, name, bytes))
			return &rows[i];
	return NULL;
}

bool sc_sim_variable_takes(const char *name, const char *value)
{
	return has_value(find_row(name, strlen(name)), value);
}

/* "NAME=value", without the prefix. */
static bool check_one(const char *variable, char *message, size_t bytes)
{
	size_t name = strcspn(variable, "=");
	const struct row *row = find_row(variable, name), *other;

	if (row && has_value(row, variable + name + (variable[name] == '=')))
		return true;
	if (row) {
		snprintf(message, bytes, PREFIX "%s: \"%.80s\" is not %s", row->name,
			 variable + name + 1, row->values);
		return false;
	}
	other = nearest(variable, name);
	snprintf(message, bytes,
		 "the simulated device has no variable " PREFIX "%.*s%s%s%s; the manual has those "
		 "that there are",
		 (int)(name < 80 ? name : 80), variable, other ? ", did you mean " PREFIX : "",
		 other ? other->name : "", other ? "?" : "");
	return false;
}

bool sc_sim_variables_check(char *message, size_t bytes)
{
	for (char **at = environ; at && *at; at++)
		if (!strncmp(*at, PREFIX, strlen(PREFIX)) &&
		    !check_one(*at + strlen(PREFIX), message, bytes))
			return false;
	return true;
}
