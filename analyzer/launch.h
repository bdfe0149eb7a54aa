/* Launches: what a kernel uses, from its footprint or from its parameters only.
 *
 * A footprint tells bytes relative to pointer parameters. A range is exact if the footprint says
 * so, the device runs the very code that was analyzed, and the range lies inside the allocation
 * that the pointer leads into; else it is an upper bound, cut to that allocation. Where only the
 * pointer is known, the whole allocation may be used, in the way that the code says. Without code
 * every pointer in the parameters may be used to read and write all that it leads to.
 */
#ifndef SC_ANALYZER_LAUNCH_H
#define SC_ANALYZER_LAUNCH_H

#include "analyzer/access.h"

/* Adds the uses of a launch; `code` may be NULL. */
void sc_launch_add(struct sc_memory_map *m, struct sc_code *code, const struct sc_record *record,
		   sc_uses *out);
/* Adds a pointer that may be used for anything in its allocation. */
void sc_launch_add_whole(struct sc_memory_map *m, uint64_t pointer, uint8_t mode, sc_uses *out);

#endif
