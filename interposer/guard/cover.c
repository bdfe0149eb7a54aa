/* What the page guard knows about waits. */
#include "interposer/guard/cover.h"

void sc_cover_add(struct sc_cover *cover, struct sc_cover_entry entry)
{
	uint32_t at = 0, oldest = 0;

	for (; at < cover->count; at++) {
		const struct sc_cover_entry *e = &cover->entry[at];

		if (e->stream == entry.stream && (e->stream || e->context == entry.context))
			break;
		if (e->sequence < cover->entry[oldest].sequence)
			oldest = at;
	}
	if (at == cover->count && at < SC_COVERS)
		cover->entry[cover->count++] = entry;
	else if (at < cover->count && cover->entry[at].sequence < entry.sequence)
		cover->entry[at] = entry;
	else if (at == cover->count && cover->entry[oldest].sequence < entry.sequence)
		cover->entry[oldest] = entry;
}

void sc_cover_join(struct sc_cover *cover, const struct sc_cover *other)
{
	for (uint32_t i = 0; i < other->count; i++)
		sc_cover_add(cover, other->entry[i]);
}

bool sc_cover_holds(const struct sc_cover *cover, uint32_t stream, uint32_t context, bool ordered,
		    uint64_t sequence)
{
	for (uint32_t i = 0; i < cover->count; i++) {
		const struct sc_cover_entry *e = &cover->entry[i];
		bool applies = e->stream ? e->stream == stream : ordered && e->context == context;

		if (applies && sequence < e->sequence)
			return true;
	}
	return false;
}
