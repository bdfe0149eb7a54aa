/* Entry points of the driver that have no row: those of a version that came later than this one.
 *
 * A program gets a stub in place of such a function. Only what is called matters: NVIDIA's runtime
 * looks up all that its driver has. The first call of each is recorded: as a call without a
 * decoder, across which nothing is proven, if the function can move data or make order; as a source
 * that is missing if its name says that it only answers. Looked up and not called: said with
 * `verbose`.
 */
#pragma once

#include <stdbool.h>

/* What the program gets for `found`, which the driver has under that name: a stub, or `found`
 * itself if the function has nothing to record, or no stub is left. */
void *sc_unknown_serve(const char *name, void *found);

/* Whether a function of that name can move data or make order: not those that get or query. */
bool sc_unknown_may_act(const char *name);
