/* The table of texture and surface objects. */
#include "simulator/driver/texture/texture.h"

#include <stdlib.h>

#define PLACE_BITS 20 /* of a handle; objects at a time */

struct slot {
	struct sim_texture *texture; /* counted, or NULL */
	uint64_t uses;
	size_t next; /* of a free one: the next free one + 1 */
};

static struct slot *slots;
static size_t count;
static size_t first_free;		    /* + 1 */
static struct sim_texture *destroyed;	    /* counted; the last one first */
static uint64_t oldest_launch = UINT64_MAX; /* that may use them */

static bool grow(void)
{
	size_t i, capacity = count ? count * 2 : 64;
	struct slot *grown;

	if (capacity > (size_t)1 << PLACE_BITS)
		return false;
	grown = realloc(slots, capacity * sizeof(*grown));
	if (!grown)
		return false;
	slots = grown;
	for (i = capacity; i-- > count;) {
		slots[i] = (struct slot){.next = first_free};
		first_free = i + 1;
	}
	count = capacity;
	return true;
}

/* Handles begin with 1: 0 is none. */
uint64_t sim_texture_add(struct sim_texture *texture)
{
	size_t place;

	if (!first_free && !grow())
		return 0;
	place = first_free - 1;
	first_free = slots[place].next;
	slots[place].texture = texture;
	texture->handle = (slots[place].uses++ << PLACE_BITS) + place + 1;
	return texture->handle;
}

static struct slot *find(uint64_t handle)
{
	size_t place = (handle - 1) & (((uint64_t)1 << PLACE_BITS) - 1);
	uint64_t use = (handle - 1) >> PLACE_BITS;

	if (!handle || place >= count || !slots[place].texture || slots[place].uses != use + 1)
		return NULL;
	return &slots[place];
}

struct sim_texture *sim_texture_find(uint64_t handle)
{
	const struct slot *slot = find(handle);

	return slot ? slot->texture : NULL;
}

/* Those that were destroyed before the oldest launch stand last. */
static void forget_unused(void)
{
	struct sim_texture **link = &destroyed, *texture;

	while (*link && (*link)->destroyed_id > oldest_launch)
		link = &(*link)->next_destroyed;
	while ((texture = *link)) {
		*link = texture->next_destroyed;
		sim_texture_put(texture);
	}
}

void sim_texture_set_oldest(uint64_t id)
{
	oldest_launch = id;
	if (destroyed)
		forget_unused();
}

struct sim_texture *sim_texture_find_since(uint64_t handle, uint64_t id)
{
	struct sim_texture *texture = sim_texture_find(handle);

	if (texture)
		return texture;
	texture = destroyed;
	while (texture && texture->destroyed_id > id && texture->handle != handle)
		texture = texture->next_destroyed;
	return texture && texture->destroyed_id > id ? texture : NULL;
}

void sim_texture_remove(uint64_t handle, uint64_t id)
{
	struct slot *slot = find(handle);

	if (!slot)
		return;
	slot->texture->destroyed_id = id;
	slot->texture->next_destroyed = destroyed;
	destroyed = slot->texture;
	forget_unused();
	slot->texture = NULL;
	slot->next = first_free;
	first_free = (size_t)(slot - slots) + 1;
}

void sim_texture_get(struct sim_texture *texture)
{
	texture->refs++;
}

void sim_texture_put(struct sim_texture *texture)
{
	if (texture && !--texture->refs)
		free(texture);
}

static bool has_array(const struct sim_texture *texture, CUarray array)
{
	unsigned int i;

	for (i = 0; i < texture->array_count; i++)
		if (texture->arrays[i] == array)
			return true;
	return false;
}

void sim_texture_lose(CUarray array)
{
	struct sim_texture *texture;
	size_t i;

	for (i = 0; i < count; i++)
		if (slots[i].texture && has_array(slots[i].texture, array))
			slots[i].texture->is_dead = true;
	for (texture = destroyed; texture; texture = texture->next_destroyed)
		texture->is_dead |= has_array(texture, array);
}
