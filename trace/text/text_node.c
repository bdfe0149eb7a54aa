/* A graph node's place in the text form. */
#include "trace/text/text_node.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include "base/assert.h"

static const struct word {
	const char *text;
	uint32_t flag;
} words[] = {
	{"disabled", SC_NODE_DISABLED},
	{"enabled", SC_NODE_ENABLED},
	{"update", SC_NODE_UPDATE},
	{"more", SC_NODE_MORE},
};
#define WORDS (sizeof(words) / sizeof(*words))

/* ---- printing ---- */

static void print_dependency(struct sc_buf *out, const struct sc_dependency *d)
{
	sc_buf_printf(out, ", %" PRIu32, d->node);
	if (d->type || d->port || d->spare)
		sc_buf_printf(out, ":%u:%u", d->type, d->port);
	if (d->spare)
		sc_buf_printf(out, ":%u", d->spare);
}

void sc_text_node_print(struct sc_buf *out, const uint8_t *data, uint32_t bytes)
{
	const struct sc_node *n = (const struct sc_node *)data;
	const struct sc_dependency *d = (const struct sc_dependency *)(n + 1);
	uint32_t count = (bytes - (uint32_t)sizeof(*n)) / (uint32_t)sizeof(*d);
	uint32_t flags = n->flags;

	sc_assert(bytes >= sizeof(*n));
	sc_buf_printf(out, "[%" PRIu32, n->index);
	if (n->parent)
		sc_buf_printf(out, ", in:%" PRIu32, n->parent - 1);
	if (n->body)
		sc_buf_printf(out, ", body:%" PRIu32, n->body);
	for (const struct word *w = words; w < words + WORDS; w++) {
		if (flags & w->flag)
			sc_buf_printf(out, ", %s", w->text);
		flags &= ~w->flag;
	}
	if (flags)
		sc_buf_printf(out, ", flags:%" PRIu32, flags);
	for (uint32_t i = 0; i < count; i++)
		print_dependency(out, &d[i]);
	sc_buf_add_char(out, ']');
}

/* ---- parsing ---- */

static bool parse_limited(struct sc_text_span text, uint64_t limit, uint64_t *out)
{
	return sc_lex_number(text, out) && *out <= limit;
}

/* NODE, NODE:TYPE:PORT, or with p, s, l for what CUDA has. */
static bool parse_dependency(struct sc_text_span text, struct sc_dependency *d)
{
	struct sc_text_span part;
	uint64_t node, type = 0, port = 0, spare = 0;

	if (strchr("psl", text.text[text.bytes - 1])) {
		char mark = text.text[--text.bytes];

		type = 1;
		port = mark == 'l' ? 2 : mark == 'p';
	}
	if (sc_lex_split(&text, ':', &part)) {
		struct sc_text_span kind;

		if (!sc_lex_split(&text, ':', &kind) || !parse_limited(kind, UINT8_MAX, &type))
			return 0;
		sc_lex_split(&text, ':', &kind);
		if (!parse_limited(kind, UINT8_MAX, &port) ||
		    (text.bytes && !parse_limited(text, UINT16_MAX, &spare)))
			return 0;
	}
	if (!parse_limited(part, UINT32_MAX, &node))
		return 0;
	*d = (struct sc_dependency){(uint32_t)node, (uint8_t)port, (uint8_t)type, (uint16_t)spare};
	return 1;
}

static bool take_word(struct sc_node *n, struct sc_text_span word)
{
	for (const struct word *w = words; w < words + WORDS; w++)
		if (sc_span_is(word, w->text)) {
			n->flags |= w->flag;
			return 1;
		}
	return 0;
}

/* in:N, body:N, flags:N; *ok says whether the number is one. */
static bool take_pair(struct sc_node *n, struct sc_text_span element, bool *ok)
{
	struct sc_text_span key;
	uint64_t value = 0;

	if (!sc_lex_split(&element, ':', &key) || (*key.text >= '0' && *key.text <= '9'))
		return 0;
	*ok = parse_limited(element, UINT32_MAX, &value);
	if (sc_span_is(key, "in") && value < UINT32_MAX)
		n->parent = (uint32_t)value + 1;
	else if (sc_span_is(key, "body"))
		n->body = (uint32_t)value;
	else if (sc_span_is(key, "flags"))
		n->flags |= (uint32_t)value;
	else
		*ok = 0;
	return 1;
}

bool sc_text_node_parse_rest(struct sc_buf *data, uint32_t index, struct sc_text_span text)
{
	struct sc_node n = {.index = index};
	struct sc_buf dependencies = {0};
	struct sc_text_span element;
	bool ok = 1;

	while (ok && sc_lex_element(&text, &element)) {
		struct sc_dependency d;

		if (take_word(&n, element) || take_pair(&n, element, &ok))
			continue;
		ok = parse_dependency(element, &d);
		if (ok)
			sc_buf_add_bytes(&dependencies, &d, sizeof(d));
	}
	sc_buf_add_bytes(data, &n, sizeof(n));
	if (dependencies.bytes)
		sc_buf_add_bytes(data, dependencies.text, dependencies.bytes);
	sc_buf_fini(&dependencies);
	return ok;
}

bool sc_text_node_parse(struct sc_buf *data, struct sc_text_span text)
{
	struct sc_text_span element;
	uint64_t index;

	return sc_lex_element(&text, &element) && parse_limited(element, UINT32_MAX, &index) &&
	       sc_text_node_parse_rest(data, (uint32_t)index, text);
}

bool sc_text_node_prefix(struct sc_text_span word, struct sc_text_span *graph, uint32_t *index)
{
	uint64_t number;

	if (!sc_lex_split(&word, '/', graph) || !graph->bytes ||
	    !parse_limited(word, UINT32_MAX, &number))
		return 0;
	*index = (uint32_t)number;
	return 1;
}
