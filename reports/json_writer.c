/* A JSON writer. */
#include "reports/json_writer.h"

#include <inttypes.h>
#include <stdbool.h>
#include "base/assert.h"
#include "reports/utf8.h"

static void add_character(struct sc_buf *out, uint32_t c)
{
	if (c == '"' || c == '\\') {
		sc_buf_add_char(out, '\\');
		sc_buf_add_char(out, (char)c);
	} else if (c == '\n') {
		sc_buf_add(out, "\\n");
	} else if (c == '\t') {
		sc_buf_add(out, "\\t");
	} else if (c < 0x20 || c == 0x7F || c == 0x2028 || c == 0x2029) {
		sc_buf_printf(out, "\\u%04" PRIx32, c);
	} else {
		sc_utf8_add(out, c);
	}
}

static void add_page_character(struct sc_buf *out, uint32_t c)
{
	if (c == '<')
		sc_buf_add(out, "\\u003c");
	else
		add_character(out, c);
}

static void add_string(const struct sc_json *j, const char *text)
{
	sc_buf_add_char(j->out, '"');
	sc_utf8_add_each(j->out, text, j->is_page ? add_page_character : add_character);
	sc_buf_add_char(j->out, '"');
}

static void begin_line(struct sc_json *j)
{
	if (j->is_line || j->is_page)
		return;
	sc_buf_add_char(j->out, '\n');
	sc_buf_fill(j->out, ' ', (size_t)2 * j->depth);
}

/* Comma, new line, indentation and key of the next item. */
static void begin_item(struct sc_json *j, const char *key)
{
	if (j->has_items)
		sc_buf_add(j->out, j->is_line ? ", " : ",");
	if (j->depth)
		begin_line(j);
	if (key) {
		add_string(j, key);
		sc_buf_add(j->out, j->is_page ? ":" : ": ");
	}
	j->has_items = 1;
}

void sc_json_open(struct sc_json *j, const char *key, char bracket)
{
	begin_item(j, key);
	sc_buf_add_char(j->out, bracket);
	j->depth++;
	j->has_items = 0;
}

void sc_json_close(struct sc_json *j, char bracket)
{
	sc_assert(j->depth > 0);
	j->depth--;
	if (j->has_items)
		begin_line(j);
	sc_buf_add_char(j->out, bracket);
	j->has_items = 1;
	if (!j->depth && !j->is_page)
		sc_buf_add_char(j->out, '\n');
}

void sc_json_text(struct sc_json *j, const char *key, const char *text)
{
	begin_item(j, key);
	add_string(j, text);
}

void sc_json_phrase(struct sc_json *j, const char *key, struct sc_buf *phrase)
{
	if (phrase->bytes)
		sc_json_text(j, key, phrase->text);
	else
		sc_json_null(j, key);
	sc_buf_clear(phrase);
}

void sc_json_number(struct sc_json *j, const char *key, uint64_t number)
{
	begin_item(j, key);
	sc_buf_printf(j->out, "%" PRIu64, number);
}

void sc_json_bool(struct sc_json *j, const char *key, bool value)
{
	begin_item(j, key);
	sc_buf_add(j->out, value ? "true" : "false");
}

void sc_json_null(struct sc_json *j, const char *key)
{
	begin_item(j, key);
	sc_buf_add(j->out, "null");
}

void sc_json_shared(struct sc_json *j, const char *key, uint32_t index)
{
	begin_item(j, key);
	sc_buf_printf(j->out, "-%" PRIu64, (uint64_t)index + 1);
}

void sc_json_address(struct sc_json *j, const char *key, uint64_t address)
{
	begin_item(j, key);
	sc_buf_printf(j->out, "\"0x%" PRIx64 "\"", address);
}
