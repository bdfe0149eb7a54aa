/* Known: fingerprints in a map, read and written as lines. */
#include "cmds/judge/baseline_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmds/files/text_file.h"
#include "reports/fingerprint.h"

#define HEAD "# streamcheck baseline "

static int fail(char *message, size_t bytes, const char *name, unsigned line, const char *what)
{
	if (bytes)
		snprintf(message, bytes, "%s:%u: %s", name, line, what);
	return -EINVAL;
}

/* Sixteen hexadecimal digits, then a space or the end of the line. */
static bool parse_fingerprint(const char *line, size_t bytes, uint64_t *out)
{
	char digits[SC_FINGERPRINT_SIZE] = "";

	if (bytes < 16 || (bytes > 16 && line[16] != ' ' && line[16] != '\r'))
		return 0;
	memcpy(digits, line, 16);
	if (strspn(digits, "0123456789abcdef") != 16)
		return 0;
	*out = strtoull(digits, NULL, 16);
	return 1;
}

static void learn(struct sc_knowns *k, uint64_t fingerprint)
{
	uint64_t *value = sc_u64_map_get(&k->findings, fingerprint);

	k->count += !*value;
	*value = 1;
}

static int check_head(const char *name, const char *text, char *message, size_t bytes)
{
	size_t head = strlen(HEAD);
	char *end;

	if (strncmp(text, HEAD, head) != 0)
		return fail(message, bytes, name, 1,
			    "not a baseline: the first line must be \"" HEAD "1\"");
	if (strtoul(text + head, &end, 10) == SC_FINGERPRINT_VERSION &&
	    (*end == '\n' || !*end || *end == '\r'))
		return 0;
	return fail(message, bytes, name, 1,
		    "a baseline of another version of streamcheck; write the file again with "
		    "streamcheck baseline");
}

int sc_known_parse(struct sc_knowns *k, const char *name, const char *text, char *message,
		   size_t bytes)
{
	int err = check_head(name, text, message, bytes);

	for (unsigned line = 1; *text && !err; line++) {
		size_t length = strcspn(text, "\n");
		uint64_t fingerprint;

		if (length && *text != '#' && *text != '\r') {
			if (parse_fingerprint(text, length, &fingerprint))
				learn(k, fingerprint);
			else
				err = fail(message, bytes, name, line,
					   "expected a fingerprint of 16 hexadecimal digits");
		}
		text += length;
		text += *text == '\n';
	}
	return err;
}

int sc_known_read(struct sc_knowns *k, const char *path, char *message, size_t bytes)
{
	size_t text_bytes;
	char *text;
	int err = sc_text_file_read(path, &text, &text_bytes);

	if (err) {
		if (bytes)
			snprintf(message, bytes, "cannot read %s: %s", path, strerror(-err));
		return err;
	}
	err = sc_known_parse(k, path, text, message, bytes);
	free(text);
	return err;
}

void sc_known_fini(struct sc_knowns *k)
{
	sc_u64_map_fini(&k->findings);
}

bool sc_known_match(struct sc_knowns *k, uint64_t fingerprint)
{
	uint64_t *value = sc_u64_map_find(&k->findings, fingerprint);

	if (!value)
		return 0;
	k->matched += *value == 1;
	*value = 2;
	return 1;
}

void sc_known_print_head(struct sc_buf *out)
{
	sc_buf_printf(out, HEAD "%d\n", SC_FINGERPRINT_VERSION);
	sc_buf_add(out, "# Known findings; check with --baseline=FILE.\n");
}
