/* Footprints: which bytes does a kernel touch, from its PTX and the launch, without running it.
 *
 * A module is indexed once, each kernel read and analysed once (on first use), and a launch is
 * evaluated with its real parameters and shape. The result is a list of strided byte sets, each
 * relative to a pointer parameter (by its offset in the parameter image) or a module variable. The
 * union of the sets contains every byte that the kernel may touch; a set marked exact is touched in
 * full (in a run that ends without a fault). An access with an unknown pointer has base UNKNOWN:
 * then the kernel may touch anything that it can reach.
 *
 * PTX is hostile: any text gives a module. Not thread-safe per module; no global state. Reading
 * and analysis are about linear in the text of what is asked for; evaluation costs microseconds per
 * access site, a hit in the cache a fraction of one. Work is counted and limited, so that a text
 * gives the same footprints on every machine: what is too much is an upper bound. Out of memory
 * ends the tool.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sc_footprint_reason {
#define REASON(id, text) SC_REASON_##id,
#include "footprint/reason.def"
#undef REASON
	SC_REASONS
};

enum sc_footprint_mode {
	SC_FOOTPRINT_READ = 1,
	SC_FOOTPRINT_WRITE = 2,
	SC_FOOTPRINT_ATOMIC = 4, /* reads and writes, in one piece */
	SC_FOOTPRINT_STRONG = 8, /* a load or store of system scope, which the host may answer */
	SC_FOOTPRINT_IN_ONE_PIECE = 16, /* with READ: an atomic load */
	SC_FOOTPRINT_SWAP = 32, /* with ATOMIC: by comparison; a read of the same bytes is a guess
				   that it checks */
	SC_FOOTPRINT_TEXTURE =
		64, /* through a texture object: the base is its handle, and of the */
	SC_FOOTPRINT_SURFACE = 128, /* bytes nothing is known; or a surface object likewise */
	SC_FOOTPRINT_OBJECT = SC_FOOTPRINT_TEXTURE | SC_FOOTPRINT_SURFACE
};

enum sc_footprint_base {
	SC_BASE_PARAMETER, /* base: offset of the pointer in the parameter image */
	SC_BASE_SYMBOL,	   /* base: number of the module variable */
	SC_BASE_UNKNOWN
};

/* Whether an access comes before the kernel waits for the grids that it depends on (L-2). */
enum sc_footprint_early {
	SC_EARLY_NO,	/* after a wait on every path, or the kernel has no wait */
	SC_EARLY_MAYBE, /* some paths to it have no wait */
	SC_EARLY_SURELY /* no path to it has a wait */
};

/* Bytes offset + k*slice_pitch + j*pitch + i, i < width, j < rows, k < slices, from the base. */
struct sc_footprint_range {
	uint32_t base;
	uint8_t base_kind; /* enum sc_footprint_base */
	uint8_t mode;	   /* enum sc_footprint_mode bits */
	uint8_t reason;	   /* enum sc_footprint_reason; NONE: exact */
	bool is_unbounded; /* anything from the base's allocation; the numbers say nothing */
	int64_t offset;
	uint64_t width;
	uint64_t pitch;
	uint64_t rows;
	uint64_t slice_pitch;
	uint64_t slices;
	uint32_t line;	    /* of the PTX text, of one access in the set */
	bool may_be_offset; /* the base was never seen to be a pointer: perhaps another one is */
	uint8_t early;	    /* enum sc_footprint_early */
};

/* Whether it is the use of an object whose handle is the parameter at `base`. */
static inline bool sc_footprint_is_handle(const struct sc_footprint_range *r)
{
	return r->mode & SC_FOOTPRINT_OBJECT && r->base_kind == SC_BASE_PARAMETER &&
	       !r->is_unbounded && !r->offset && r->width == 1 && r->rows == 1 && r->slices == 1;
}

struct sc_footprint_launch {
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t shared_bytes; /* dynamic */
	uint32_t param_bytes;
	const void *params; /* borrowed: the parameter image */
	uint64_t *walked;   /* borrowed: steps of walks (walk.h) for all kernels so far, or NULL */
};

struct sc_footprint {
	const struct sc_footprint_range *ranges; /* sorted; borrowed until the module is freed */
	size_t count;
	bool is_exact; /* all ranges are */
};

struct sc_footprint_module; /* opaque */
struct sc_footprint_kernel; /* opaque, part of a module */

/* Indexes a module; the text is borrowed until it is freed. */
struct sc_footprint_module *sc_footprint_parse(const char *text, size_t bytes);
void sc_footprint_free(struct sc_footprint_module *m);
/* Places of the text that made no sense; reads all of it. */
uint32_t sc_footprint_problems(struct sc_footprint_module *m);
size_t sc_footprint_kernel_count(const struct sc_footprint_module *m);
struct sc_footprint_kernel *sc_footprint_kernel_at(struct sc_footprint_module *m, size_t index);
/* Kernel of that mangled name, or NULL. */
struct sc_footprint_kernel *sc_footprint_find(struct sc_footprint_module *m, const char *name);
/* True only if both are certainly the same code (ptx/same.h). */
bool sc_footprint_is_same(const struct sc_footprint_kernel *k,
			  const struct sc_footprint_kernel *other);
/* Bytes of the kernel's parameter image. */
uint32_t sc_footprint_param_bytes(const struct sc_footprint_kernel *k);
/* Name of a module variable that a range is based on. */
const char *sc_footprint_symbol(const struct sc_footprint_module *m, uint32_t symbol);
uint64_t sc_footprint_symbol_bytes(const struct sc_footprint_module *m, uint32_t symbol);
/* True if it lies in constant memory. */
bool sc_footprint_symbol_is_constant(const struct sc_footprint_module *m, uint32_t symbol);
const char *sc_footprint_reason_text(unsigned reason);

/* What the code says of programmatic launches (the bits of trace/op.h, enum sc_grid). */
enum sc_footprint_grid {
	SC_FOOTPRINT_KNOWS_GRID = 1,
	SC_FOOTPRINT_WAITS = 2,
	SC_FOOTPRINT_TRIGGERS = 4,
	SC_FOOTPRINT_FENCES = 8,
	SC_FOOTPRINT_FENCES_ALIASES = 16,
	SC_FOOTPRINT_PUBLISHES_HOST = 32,
	SC_FOOTPRINT_OBSERVES_HOST = 64,
	SC_FOOTPRINT_PUBLISHES = 128,
	SC_FOOTPRINT_OBSERVES = 256,
	SC_FOOTPRINT_EARLY = 512,
	SC_FOOTPRINT_TRIGGERS_LATE = 1024
};
unsigned sc_footprint_grid(struct sc_footprint_kernel *k);

/* Whether the 8 bytes of the parameters from `offset` on may become an address, or a part of one:
 * the code loads them, and uses them in an address or lets them out of sight (stores them, passes
 * them on). */
bool sc_footprint_may_follow(struct sc_footprint_kernel *k, uint32_t offset);

/* The footprint of a launch; looked up in the kernel's cache by shape and the parameter bytes that
 * matter (pointers count only where the kernel tests them). */
struct sc_footprint sc_footprint_of(struct sc_footprint_kernel *k,
				    const struct sc_footprint_launch *launch);
