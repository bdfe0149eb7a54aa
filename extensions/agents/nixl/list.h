/* Prepared lists (nixlDlistH): their blocks, of which a transfer is made by their numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "extensions/agents/nixl/run.h"

struct sc_nixl_list;

/* A new one without blocks, as it is of memory of another process; or NULL. */
struct sc_nixl_list *sc_nixl_list_new(void);
/* Appends blocks; of type sc_nixl_taker. */
void sc_nixl_list_add(void *list, const struct sc_nixl_run *run);
/* The program knows it by this handle from now on. */
void sc_nixl_list_keep(struct sc_nixl_list *list, uint64_t handle);
/* Gives back one that was not kept. */
void sc_nixl_list_free(struct sc_nixl_list *list);
void sc_nixl_list_forget(uint64_t handle);
/* The blocks with these numbers; of width 0 where the list has none. False: the list is not known.
 */
bool sc_nixl_list_select(uint64_t handle, const int32_t *number, size_t count,
			 struct sc_nixl_run *out);
