/* Packs JSON for the HTML report. */
#include "reports/html/html_pack.h"

#include <inttypes.h>
#include <string.h>
#include "base/assert.h"
#include "base/hash.h"
#include "base/vector.h"

/* Bytes of a value that may be shared: shorter ones are no longer than their number, longer ones
 * do not stand twice. */
#define BYTES_LEAST 8
#define BYTES_MOST  (64 << 10)

/* A text, an object or an array, in the order in which they begin. */
struct value {
	size_t start, bytes;
	size_t end;	 /* index of the first value that begins after it ends */
	size_t first;	 /* index of the first value that is equal */
	uint64_t count;	 /* of that one: how many are equal, if none of them is inside of an equal
			    one */
	uint32_t number; /* of that one: in `shared`; 0: not yet there */
	UT_hash_handle hh;
};

struct pack {
	const char *text;
	SC_VECTOR(struct value) values;
	struct value *firsts; /* borrowed: a table by text */
	struct sc_buf shared;
	uint32_t numbers;
};

static size_t skip_text(const char *text, size_t at)
{
	for (at++; text[at] != '"'; at++)
		at += text[at] == '\\';
	return at + 1;
}

/* Finds the values of what begins at a place; returns where that ends. */
static size_t find_values(struct pack *p, size_t start)
{
	const char *text = p->text, kind = text[start];
	size_t index = p->values.count, at = start + 1;

	if (kind != '"' && kind != '{' && kind != '[')
		return start + strcspn(text + start, ",]}");
	sc_vector_push(&p->values, ((struct value){.start = start, .first = index}));
	if (kind == '"')
		at = skip_text(text, start);
	while (kind != '"' && text[at - 1] != (kind == '{' ? '}' : ']')) {
		if (text[at] == ']' || text[at] == '}') { /* it is empty */
			at++;
			break;
		}
		if (kind == '{')
			at = skip_text(text, at) + 1; /* the key and its colon */
		at = find_values(p, at) + 1;	      /* and a comma or a bracket */
	}
	if (at - start < BYTES_LEAST) {
		p->values.count = index;
		return at;
	}
	p->values.items[index].bytes = at - start;
	p->values.items[index].end = p->values.count;
	return at;
}

/* Index of the first value that is equal. */
static size_t first_of(struct pack *p, size_t index)
{
	struct value *v = &p->values.items[index], *first;

	HASH_FIND(hh, p->firsts, p->text + v->start, v->bytes, first);
	if (!first) {
		HASH_ADD_KEYPTR(hh, p->firsts, p->text + v->start, v->bytes, v);
		first = v;
	}
	return (size_t)(first - p->values.items);
}

/* What is inside of a value that stands elsewhere already is not counted again. */
static void count_values(struct pack *p)
{
	for (size_t i = 0; i < p->values.count;) {
		struct value *v = &p->values.items[i];

		if (v->bytes <= BYTES_MOST)
			v->first = first_of(p, i);
		p->values.items[v->first].count++;
		i = v->first < i ? v->end : i + 1;
	}
}

static void add_value(struct pack *p, struct sc_buf *out, size_t index);

static void add_whole(struct pack *p, struct sc_buf *out, size_t index)
{
	const struct value *v = &p->values.items[index], *inside;
	size_t at = v->start;

	for (size_t i = index + 1; i < v->end; i = inside->end) {
		inside = &p->values.items[i];
		sc_buf_add_bytes(out, p->text + at, inside->start - at);
		add_value(p, out, i);
		at = inside->start + inside->bytes;
	}
	sc_buf_add_bytes(out, p->text + at, v->start + v->bytes - at);
}

static void add_value(struct pack *p, struct sc_buf *out, size_t index)
{
	struct value *first = &p->values.items[p->values.items[index].first];
	struct sc_buf whole = {0};

	if (first->count < 2) {
		add_whole(p, out, index);
		return;
	}
	if (!first->number) {
		add_whole(p, &whole, p->values.items[index].first);
		sc_buf_add(&p->shared, p->numbers ? "," : "");
		sc_buf_add_bytes(&p->shared, whole.text, whole.bytes);
		first->number = ++p->numbers;
		sc_buf_fini(&whole);
	}
	sc_buf_printf(out, "-%" PRIu32, first->number);
}

void sc_html_pack(struct sc_buf *out, const struct sc_buf *json, uint32_t shared)
{
	struct pack p = {.text = sc_buf_text(json), .numbers = shared};

	find_values(&p, 0);
	count_values(&p);
	add_whole(&p, out, 0);
	sc_assert(out->bytes > 2 && !strcmp(out->text + out->bytes - 2, "]}"));
	out->bytes -= 2; /* the array goes on */
	sc_buf_add(out, sc_buf_text(&p.shared));
	sc_buf_add(out, "]}");
	HASH_CLEAR(hh, p.firsts);
	sc_vector_fini(&p.values);
	sc_buf_fini(&p.shared);
}
