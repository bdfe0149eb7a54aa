/* Layouts of kernels' parameters: each is kept once, for ever, however many kernels have it.
 *
 * A layout never changes, so a launch that finds a pointer to one may use it without a lock.
 */
#pragma once

#include "interposer/object/handle_record.h"
#include "trace/attach.h"

struct sc_param_layout {
	const struct sc_param_layout *next; /* another one of the same hash */
	uint32_t count, bytes;
	bool has_gaps; /* bytes between the parameters */
	struct sc_param param[];
};

extern const struct sc_param_layout sc_param_layout_none; /* of a kernel without parameters */

/* The layout of these parameters. Without memory for it, that of a kernel without any. */
const struct sc_param_layout *sc_param_layout_keep(const struct sc_param *params, uint32_t count);
/* The layout of a kernel; never NULL. */
static inline const struct sc_param_layout *sc_param_layout_of(const struct sc_handle *function)
{
	return function && function->layout ? function->layout : &sc_param_layout_none;
}
