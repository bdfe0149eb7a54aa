/* Files by which threads synchronize: what was released into each. */
#include "interposer/sync/channel.h"

#include "base/assert.h"
#include "interposer/sync/descriptor.h"
#include "interposer/sync/sync.h"
#include "interposer/core/arena.h"
#include "interposer/core/module.h"

struct sc_channels sc_channels;

#define WORD (UINT64_C(15) << 60) /* no file has such a number */

struct sc_channel {
	uint64_t number; /* of the file; 0: free */
	uint64_t used;	 /* when, in uses of all */
	uint32_t users;	 /* calls that have it: it does not give way */
	struct sc_sync_point point;
};

/* The place of a file, or the one that would give way to it; NULL: all are in use. */
static struct sc_channel *place_of(uint64_t number)
{
	struct sc_channels *all = &sc_channels;
	uint64_t set = (number * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
	struct sc_channel *c = &all->channel[set % SC_CHANNEL_SETS * SC_CHANNEL_WAYS];
	struct sc_channel *oldest = NULL;

	for (unsigned i = 0; i < SC_CHANNEL_WAYS; i++, c++) {
		if (c->number == number)
			return c;
		if (!c->users && (!oldest || c->used < oldest->used))
			oldest = c;
	}
	return oldest;
}

static struct sc_channel *claim(uint64_t number, bool is_new)
{
	struct sc_channels *all = &sc_channels;
	struct sc_channel *c;

	if (!all->channel && is_new)
		all->channel = sc_arena_get(SC_CHANNELS * sizeof(*all->channel));
	c = all->channel ? place_of(number) : NULL;
	if (!c || (c->number != number && !is_new))
		return NULL;
	if (c->number != number)
		*c = (struct sc_channel){.number = number};
	c->used = ++all->uses;
	c->users++;
	return c;
}

/* NULL: nothing was released into the file, or there is no place for it. */
static struct sc_channel *get(uint64_t number, bool is_new)
{
	struct sc_channel *c;

	sc_lock_get(&sc_channels.lock);
	c = claim(number, is_new);
	sc_lock_put(&sc_channels.lock);
	return c;
}

static void put(struct sc_channel *c)
{
	sc_lock_get(&sc_channels.lock);
	sc_assert(c->number && c->users > 0);
	c->users--;
	sc_lock_put(&sc_channels.lock);
}

static enum sc_sync_object kind_of(uint64_t number)
{
	return (number & SC_DESCRIPTOR_KIND) == WORD ? SC_SYNC_OTHER : SC_SYNC_CHANNEL;
}

static bool has_news(uint64_t caller)
{
	return sc_sync_has_news() && !sc_sync_is_inner(caller);
}

static bool is_followed(uint64_t caller)
{
	return sc_sync_is_followed() && !sc_sync_is_inner(caller);
}

static void release(uint64_t number)
{
	struct sc_channel *c = number ? get(number, true) : NULL;

	if (!c)
		return;
	sc_sync_point_release(&c->point, kind_of(number));
	put(c);
}

void sc_channel_release(uint64_t caller, int fd)
{
	if (has_news(caller))
		release(sc_descriptor_find(fd).out);
}

void sc_channel_wake(uint64_t caller, uint64_t word)
{
	if (has_news(caller))
		release(WORD | word);
}

uint64_t sc_channel_of_read(uint64_t caller, int fd)
{
	return is_followed(caller) ? sc_descriptor_find(fd).in : 0;
}

uint64_t sc_channel_of_wait(uint64_t caller, uint64_t word)
{
	return is_followed(caller) ? WORD | word : 0;
}

void sc_channel_acquire(uint64_t number)
{
	struct sc_channel *c = get(number, false);

	if (!c)
		return;
	sc_sync_point_acquire(&c->point, kind_of(number));
	put(c);
}

/* ---- the module ---- */

const struct sc_module sc_module_channel = {SC_MODULE_STATE(sc_channels)};
