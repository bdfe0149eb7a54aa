/* A list that grows in mappings of its own. */
#include "interposer/core/mapped_list.h"

#include <string.h>
#include "base/assert.h"
#include "interposer/core/raw.h"
#include "interposer/core/refused.h"

static void give_back(struct sc_mapped_list *p)
{
	if (p->give)
		p->give(p->start, p->room);
	else if (p->start)
		sc_raw_unmap(p->start, p->room);
}

void *sc_mapped_list_grow(struct sc_mapped_list *p, size_t bytes)
{
	size_t room = p->room && !p->give ? p->room : 1 << 16;
	void *start;

	while (room - p->used < bytes)
		room *= 2;
	if (room != p->room) {
		start = sc_raw_map(room, MAP_PRIVATE);
		if (!start)
			return sc_refused();
		if (p->used)
			memcpy(start, p->start, p->used);
		give_back(p);
		p->start = start;
		p->room = room;
		p->give = NULL;
	}
	p->used += bytes;
	sc_assert(p->used <= p->room);
	return (char *)p->start + p->used - bytes;
}

void sc_mapped_list_fini(struct sc_mapped_list *p)
{
	give_back(p);
	*p = (struct sc_mapped_list){0};
}
