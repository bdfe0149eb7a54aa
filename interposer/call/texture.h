/* Texture and surface objects: the memory that each stands for, since kernels get only the handle.
 *
 * Of mipmapped arrays no memory is written: their levels are not followed.
 */
#pragma once

#include "interposer/call/call.h"

/* AFTER functions of the rows that create such objects: TEXTURE ops. */
void sc_texture_made(struct sc_call *call);
void sc_texture_surface_made(struct sc_call *call);
/* HAND function: the op is about a surface object. */
void sc_texture_is_surface(struct sc_call *call);
