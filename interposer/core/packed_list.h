/* Lists that will hardly grow, of which there are many: they move from their mappings to pieces of
 * the arena that are as large as need be. They may grow again all the same, in a mapping then. Not
 * for what a child of a fork goes on with. */
#pragma once

#include "interposer/core/mapped_list.h"

/* What has no room in the arena, or is too large, stays a mapping. */
void sc_packed_list_pack(struct sc_mapped_list *list);
