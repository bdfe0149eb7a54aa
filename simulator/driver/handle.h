/* The set of live handles, so that a wrong handle gives an error instead of a crash.
 *
 * Handles are the addresses of the driver's objects. Applications pass destroyed, foreign and
 * uninitialized values; none is dereferenced before it was found here with the expected kind.
 * A real driver is less patient: a stream or event that was destroyed makes it crash, in every call
 * (driver 580), and who asks it has to know that. So does this one (sim_handle_use).
 */
#pragma once

#include <stdbool.h>

enum sim_kind {
	SIM_KIND_NONE,
	SIM_KIND_CONTEXT,
	SIM_KIND_STREAM,
	SIM_KIND_EVENT,
	SIM_KIND_ARRAY,
	SIM_KIND_MIPMAP,
	SIM_KIND_POOL,
	SIM_KIND_LIBRARY,
	SIM_KIND_MODULE,
	SIM_KIND_KERNEL,
	SIM_KIND_FUNCTION,
	SIM_KIND_GRAPH,
	SIM_KIND_NODE,
	SIM_KIND_EXEC,
	SIM_KIND_CONDITION,
	SIM_KIND_USER_OBJECT,
	SIM_KIND_PHYSICAL,
	SIM_KIND_LINK,
	SIM_KIND_GREEN,
	SIM_KIND_RESOURCES,
	SIM_KIND_SEMAPHORE,
	SIM_KIND_EXTERNAL,
};

/* Allocates a zeroed object and makes it a live handle; NULL when out of memory. */
void *sim_handle_new(enum sim_kind kind, unsigned long size_bytes);

/* Makes an existing object a live handle again; false when out of memory. */
bool sim_handle_add(void *object, enum sim_kind kind);

/* The handle is dead from now on; the object itself stays. */
void sim_handle_remove(const void *object);

bool sim_handle_is(const void *object, enum sim_kind kind);

/* The same for a stream or event that a call names: crashes if it is one that died. */
bool sim_handle_use(const void *object, enum sim_kind kind);
