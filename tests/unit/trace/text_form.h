/* Both directions of the text form, for tests; to be included after cmocka's headers. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/text/text.h"

static char message[300]; /* why the last one failed */

/* The text form of a binary trace; free it. */
static inline char *print_all(const void *trace, size_t bytes)
{
	struct sc_record record;
	struct sc_reader *r;
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);

	if (sc_reader_open_memory(&r, trace, bytes, message, sizeof(message)))
		fail_msg("%s", message);
	while (sc_reader_next(r, &record))
		sc_text_print(out, r, &record);
	assert_int_equal(sc_reader_stats(r)->damaged, 0);
	sc_reader_free(r);
	fclose(out);
	return text;
}

/* The script that a text describes. */
static inline struct sc_text_script parse(const char *text)
{
	struct sc_text_script s;

	if (sc_text_parse(&s, text, strlen(text), message, sizeof(message)))
		fail_msg("%s in:\n%s", message, text);
	return s;
}
