/* Code: the device images of a trace, and the footprints of the kernels in them.
 *
 * Images come in pieces (IMAGE ops), modules name their image, or several that were linked at run
 * time, or those in a file of which one is theirs (MODULE_CHOICE), kernels their module. An image
 * is unpacked and its PTX read when the first of its kernels is launched; everything is done once
 * and bounded: text that is too long is left alone, and its kernels are known by parameter only.
 */
#ifndef SC_ANALYZER_KERNEL_CODE_H
#define SC_ANALYZER_KERNEL_CODE_H

#include <stdbool.h>
#include "footprint/footprint.h"
#include "base/arena.h"
#include "base/map.h"
#include "trace/reader.h"

/* An empty one is all zero. */
struct sc_code {
	struct sc_u64_map images;   /* id → struct sc_code_image * */
	struct sc_u64_map modules;  /* id → struct sc_code_part * */
	struct sc_u64_map kernels;  /* id → struct sc_code_kernel * */
	struct sc_code_image *list; /* owned, all images */
	struct sc_arena arena;	    /* of kernels, their names and modules */
	size_t text_bytes;	    /* unpacked so far */
	uint32_t arch;		    /* of the devices; 0: not known, or not the same */
	bool has_device;
};

struct sc_code_kernel {
	const char *name; /* mangled */
	uint32_t module;
	uint32_t param_count;
	const struct sc_param *params; /* NULL: the layout is not known */
	uint16_t grid;		       /* enum sc_grid */
	bool is_sought;
	bool is_sure;	   /* the device runs the very code that was looked at */
	uint8_t reason;	   /* enum sc_footprint_reason: why there is no code, or it is not sure */
	bool has_one_text; /* a name of the module means one thing */
	struct sc_footprint_module *text; /* borrowed; NULL: there is none */
	struct sc_footprint_kernel *code;
};

void sc_code_fini(struct sc_code *c);
/* Takes up the record if it describes code. */
void sc_code_note(struct sc_code *c, const struct sc_record *r);

/* The kernel of that id with what its module says of it; NULL: never defined. */
const struct sc_code_kernel *sc_code_kernel(struct sc_code *c, uint32_t id);
/* What a launch touches. False: not known, its code was not kept or does not say. The ranges are
 * borrowed until fini. */
bool sc_code_footprint(const struct sc_code_kernel *k, const struct sc_footprint_launch *launch,
		       struct sc_footprint *out);

/* What the kernel's code says of programmatic launches (L-2) and of words in memory (M-4): enum
 * sc_grid. */
unsigned sc_code_grid(struct sc_code *c, uint32_t kernel);

#endif
