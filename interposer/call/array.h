/* CUDA arrays: opaque memory, placed at an address made from its id (SC_ARRAY_ADDRESS). */
#pragma once

#include "interposer/call/call.h"

/* HAND functions of the rows that create arrays: how many bytes one has. */
void sc_array_create(struct sc_call *call);
void sc_array_create_3d(struct sc_call *call);
/* AFTER function: a level of a mipmapped array, new unless it was given out before. HAND function:
 * the levels are gone. */
void sc_array_level(struct sc_call *call);
void sc_array_levels_end(struct sc_call *call);
/* AFTER function: one op for each array of which tiles are mapped or unmapped (P-12). */
void sc_array_mapped(struct sc_call *call);
/* The record of the array that the call created, with its shape. */
struct sc_handle *sc_array_made(struct sc_call *call);
/* The array with this id (0: not known) was freed; graphs may still hold its handle, and the driver
 * is not asked about it any more. Another thread's array that has the handle by now is left alone.
 */
void sc_array_freed(const void *array, uint32_t id);
/* The record of any array; its shape is asked for on first sight. */
struct sc_handle *sc_array_see(CUarray array);
