/* Attachments: what stands behind an op because it does not fit into one; part of trace/op.h.
 *
 * Fixed layouts without pointers, little-endian, asserted like the op itself. Known types never
 * change; a reader passes unknown ones on.
 */
#ifndef SC_TRACE_ATTACH_H
#define SC_TRACE_ATTACH_H

#include <stdint.h>

/* Attachments: any number behind an op, each a head and `bytes` of data, padded to 8. */
enum sc_attach {
	SC_ATTACH_TEXT = 1, /* characters, no terminator */
	SC_ATTACH_FRAMES,   /* uint64_t return addresses, innermost first */
	SC_ATTACH_ACCESSES, /* struct sc_access[] */
	SC_ATTACH_LAUNCH,   /* struct sc_launch, then param_bytes of parameter image */
	SC_ATTACH_LAYOUT,   /* struct sc_param[] of a FUNCTION op */
	SC_ATTACH_BUILD_ID, /* bytes of a MAP op's GNU build id */
	SC_ATTACH_PYTHON,   /* text of the interpreter's frames, one per line, of a STACK op */
	SC_ATTACH_IMAGE	    /* bytes of a device image, of an IMAGE op */
};

struct sc_attach_head {
	uint32_t type;	/* enum sc_attach */
	uint32_t bytes; /* of the data that follows, without padding */
};

/* One side of a conflict (specification 0.4). */
enum sc_mode { SC_READ = 1, SC_WRITE = 2, SC_READ_WRITE = 3, SC_ATOMIC = 4 };

/* How an access is known; a finding is `proven` only if both its accesses are EXACT. */
enum sc_known {
	SC_KNOWN_EXACT,	    /* these bytes, certainly */
	SC_KNOWN_OVER,	    /* within these bytes, perhaps not all of them */
	SC_KNOWN_PARAMETER, /* a pointer parameter leads here; whole allocation, may not be used */
};

/* Bytes: `slices` × `rows` pieces of `width` bytes. rows = slices = 1 is one linear range. */
struct sc_access {
	uint64_t base;
	uint64_t width;
	uint64_t pitch; /* bytes from row to row */
	uint64_t rows;
	uint64_t slice_pitch; /* bytes from slice to slice */
	uint64_t slices;
	uint8_t mode;	/* enum sc_mode */
	uint8_t known;	/* enum sc_known */
	uint8_t memory; /* enum sc_memory */
	uint8_t spare[5];
};
_Static_assert(sizeof(struct sc_access) == 56, "format");

struct sc_launch {
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t shared_bytes;
	uint32_t param_bytes;
	uint32_t attributes; /* launch attribute bits; 0 = ordinary launch */
	uint32_t spare;
};

struct sc_param {
	uint32_t offset;
	uint32_t bytes;
};

#endif
