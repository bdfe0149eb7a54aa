/* Code that is linked at run time: which images went into what cuLinkComplete gave out.
 *
 * The parts of a link are kept like any image. Its result is machine code, which the program hands
 * to the driver as it is, or as a copy: it is known by its size and content, and the module that is
 * loaded from it gets MODULE_PART ops that name the parts.
 */
#ifndef SC_INTERPOSER_CALL_LINK_H
#define SC_INTERPOSER_CALL_LINK_H

#include "interposer/call/call.h"

struct sc_linked;

/* What the links of this process came to. */
struct sc_links {
	struct sc_lock lock;
	struct sc_table by_state;  /* CUlinkState → struct sc_parts */
	struct sc_linked *results; /* newest first */
};

extern struct sc_links sc_links;

/* AFTER functions of the rows. */
void sc_link_created(struct sc_call *call);
void sc_link_data_added(struct sc_call *call);
void sc_link_data_added_v1(struct sc_call *call);
void sc_link_file_added(struct sc_call *call);
void sc_link_file_added_v1(struct sc_call *call);
void sc_link_completed(struct sc_call *call);

/* True if `image` is the result of a link; then the parts of module `module` were written. */
bool sc_link_loaded(uint32_t module, const void *image);

#endif
