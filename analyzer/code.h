/* Code: the device images of a trace, and the footprints of the kernels in them.
 *
 * Images come in pieces (IMAGE ops), modules name their image, kernels their module. An image is
 * unpacked and its PTX read when the first of its kernels is launched; everything is done once and
 * bounded: text that is too long is left alone, and its kernels are known by parameter only.
 */
#ifndef SC_ANALYZER_CODE_H
#define SC_ANALYZER_CODE_H

#include "analyzer/footprint/footprint.h"
#include "base/arena.h"
#include "base/map.h"
#include "trace/reader.h"

/* An empty one is all zero. */
struct sc_code {
	struct sc_u64_map images;   /* id → struct sc_code_image * */
	struct sc_u64_map modules;  /* id → image id */
	struct sc_u64_map kernels;  /* id → struct kernel * */
	struct sc_code_image *list; /* owned, all images */
	struct sc_arena arena;	    /* of kernels and their names */
	size_t text_bytes;	    /* unpacked so far */
	uint32_t arch;		    /* of the devices; 0: not known, or not the same */
	_Bool has_device;
};

void sc_code_fini(struct sc_code *c);
/* Takes up the record if it tells of code. */
void sc_code_note(struct sc_code *c, const struct sc_record *r);

/* What a launch touches. False: not known, its code was not kept or does not say. *is_sure: the
 * device runs the very code that was looked at. The ranges are borrowed until fini. */
_Bool sc_code_footprint(struct sc_code *c, uint32_t kernel,
			const struct sc_footprint_launch *launch, struct sc_footprint *out,
			_Bool *is_sure);

#endif
