/* CUDA arrays: opaque memory, placed at an address made from its id (SC_ARRAY_ADDRESS). */
#pragma once

#include "interposer/call/call.h"

/* The record of the array that the call created, with its shape. */
struct sc_handle *sc_array_made(struct sc_call *call);
/* The array with this id (0: not known) was freed; graphs may still hold its handle, and the driver
 * is not asked about it any more. Another thread's array that has the handle by now is left alone.
 */
void sc_array_freed(const void *array, uint32_t id);
/* The record of any array; its shape is asked for on first sight. */
struct sc_handle *sc_array_see(CUarray array);
