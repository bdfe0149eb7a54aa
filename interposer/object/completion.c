/* What is complete once a stream or an event was waited for. */
#include "interposer/object/completion.h"
#include "base/assert.h"

void sc_completion_add(struct sc_completion *c, struct sc_completion_entry entry)
{
	uint32_t at = 0, oldest = 0;

	sc_assert(c->count <= SC_COMPLETION_ENTRIES);
	for (; at < c->count; at++) {
		const struct sc_completion_entry *e = &c->entry[at];

		if (e->stream == entry.stream && (e->stream || e->context == entry.context))
			break;
		if (e->sequence < c->entry[oldest].sequence)
			oldest = at;
	}
	if (at == c->count && at < SC_COMPLETION_ENTRIES)
		c->entry[c->count++] = entry;
	else if (at < c->count && c->entry[at].sequence < entry.sequence)
		c->entry[at] = entry;
	else if (at == c->count && c->entry[oldest].sequence < entry.sequence)
		c->entry[oldest] = entry;
}

void sc_completion_set(struct sc_completion *c, const struct sc_completion *other)
{
	sc_assert(other->count <= SC_COMPLETION_ENTRIES);
	c->count = other->count;
	for (uint32_t i = 0; i < other->count; i++)
		c->entry[i] = other->entry[i];
}

void sc_completion_join(struct sc_completion *c, const struct sc_completion *other)
{
	for (uint32_t i = 0; i < other->count; i++)
		sc_completion_add(c, other->entry[i]);
}

bool sc_completion_has(const struct sc_completion *c, uint32_t stream, uint32_t context,
		       bool ordered, uint64_t sequence)
{
	for (uint32_t i = 0; i < c->count; i++) {
		const struct sc_completion_entry *e = &c->entry[i];
		bool applies = e->stream ? e->stream == stream : ordered && e->context == context;

		if (applies && sequence < e->sequence)
			return true;
	}
	return false;
}
