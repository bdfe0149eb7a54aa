/* Code: the device images of a trace, and the footprints of the kernels in them.
 *
 * Images come in pieces (code_image.h), modules name their image, or several that were linked at
 * run time, or those in a file of which one is theirs (MODULE_CHOICE), kernels their module. An
 * image is unpacked when the first of its kernels is launched, a text of it indexed when it may
 * have the kernel (text.h), and the kernel read; everything is done once and bounded: text that is
 * too long is left alone, and its kernels are known by parameter only. Images stay; kernels go some
 * time after their module was unloaded. While a run is followed, images that were not unpacked yet
 * and text that was take SC_CODE_LIVE_MOST each at most; what is beyond is left alone, too.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/kernel/code_image.h"
#include "base/recall.h"
#include "trace/reader.h"

struct sc_code_kernel;

#define SC_CODE_LIVE_MOST ((size_t)64 << 20)

/* An empty one is all zero. */
struct sc_code {
	struct sc_code_images *images; /* owned, if not shared; NULL: there are none yet */
	bool is_shared;
	struct sc_u64_map noted;      /* ids of shared images of which a piece came */
	struct sc_u64_map modules;    /* id → struct sc_code_module *, owned by `all` */
	struct sc_u64_map kernels;    /* id → struct sc_code_kernel *, owned by their modules */
	struct sc_code_module *all;   /* owned, all modules */
	struct sc_code_kernel *found; /* borrowed: the last one looked for; a launch asks often */
	struct sc_recall unloaded;    /* modules; what makes room is forgotten; `most` 0: nothing */
	/* Called for each kernel of a module that is forgotten, and then with NULL; or NULL. */
	void (*forgets)(void *data, uint32_t module, const struct sc_code_kernel *kernel);
	void *data;    /* of that; borrowed */
	size_t most;   /* as of struct sc_code_images */
	uint32_t arch; /* of the devices; 0: not known, or not the same */
	bool has_device;
};

struct sc_code_kernel {
	struct sc_code_kernel *next; /* of its module */
	uint32_t id;
	uint32_t module;
	char *name; /* owned; mangled */
	uint32_t param_count;
	struct sc_param *params; /* owned; NULL: the layout is not known */
	uint16_t grid;		 /* enum sc_grid */
	bool is_sought;
	bool is_sure;	   /* the device runs the very code that was looked at */
	uint8_t reason;	   /* enum sc_footprint_reason: why there is no code, or it is not sure */
	bool has_one_text; /* a name of the module means one thing */
	struct sc_footprint_module *text; /* borrowed; NULL: there is none */
	struct sc_footprint_kernel *code;
};

void sc_code_fini(struct sc_code *c);
/* Uses the images that an analysis of the same trace has taken (borrowed; NULL: has not): before
 * the first record. */
void sc_code_share(struct sc_code *c, struct sc_code_images *images);
/* Hands over the images after the last record; NULL: there are none, or they are not its own. */
struct sc_code_images *sc_code_take_images(struct sc_code *c);
/* Takes up the record if it describes code. */
void sc_code_note(struct sc_code *c, const struct sc_record *r);

/* The same without what its module says of it. */
const struct sc_code_kernel *sc_code_find(const struct sc_code *c, uint32_t id);
/* The kernel of that id with what its module says of it; NULL: never defined. */
const struct sc_code_kernel *sc_code_kernel(struct sc_code *c, uint32_t id);
/* What a launch touches. False: not known, its code was not kept or does not say. The ranges are
 * borrowed until fini. */
bool sc_code_footprint(const struct sc_code_kernel *k, const struct sc_footprint_launch *launch,
		       struct sc_footprint *out);

/* What the kernel's code says of programmatic launches (L-2) and of words in memory (M-4): enum
 * sc_grid. */
unsigned sc_code_grid(struct sc_code *c, uint32_t kernel);
