/* Attachments: what follows an op because the op has no room for it; part of trace/op.h.
 *
 * Fixed layouts without pointers, little-endian, asserted like the op itself. Known types never
 * change; a reader passes unknown ones on.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Attachments: any number after an op, each a head and `bytes` of data, padded to 8. */
enum sc_attach {
	SC_ATTACH_TEXT = 1, /* characters, no terminator */
	SC_ATTACH_FRAMES,   /* uint64_t return addresses, innermost first */
	SC_ATTACH_ACCESSES, /* struct sc_access[] */
	SC_ATTACH_LAUNCH,   /* struct sc_launch, then param_bytes of parameter image */
	SC_ATTACH_LAYOUT,   /* struct sc_param[] of a FUNCTION op */
	SC_ATTACH_BUILD_ID, /* bytes of a MAP op's GNU build id */
	SC_ATTACH_PYTHON,   /* text of the interpreter's frames, one per line, of a STACK op */
	SC_ATTACH_IMAGE,    /* bytes of a device image, of an IMAGE op */
	SC_ATTACH_NODE,	    /* struct sc_node, then struct sc_dependency[] */
	SC_ATTACH_RUN	    /* which run of a launcher a PROCESS op is of (base/run_id.h) */
};

struct sc_attach_head {
	uint32_t type;	/* enum sc_attach */
	uint32_t bytes; /* of the data that follows, without padding */
};

/* One side of a conflict (specification 0.4). */
enum sc_mode {
	SC_READ = 1,
	SC_WRITE = 2,
	SC_READ_WRITE = 3,
	SC_ATOMIC = 4,	    /* reads and writes in one piece */
	SC_ATOMIC_READ = 5, /* reads in one piece: collides with plain writes only */
	SC_MODES
};

/* Atomics of either kind do not collide with each other. */
static inline bool sc_mode_is_atomic(unsigned mode)
{
	return mode & SC_ATOMIC;
}

static inline bool sc_mode_writes(unsigned mode)
{
	return mode & SC_WRITE || mode == SC_ATOMIC;
}

/* How an access is known; a finding is `proven` only if both its accesses are EXACT. */
enum sc_known {
	SC_KNOWN_EXACT,	    /* these bytes, certainly */
	SC_KNOWN_OVER,	    /* within these bytes, perhaps not all of them */
	SC_KNOWN_PARAMETER, /* a pointer parameter leads here; whole allocation, may not be used */
};

/* Where the knowledge of an access comes from. */
enum sc_how {
	SC_HOW_OP,	   /* the op itself */
	SC_HOW_PTX,	   /* the kernel's PTX */
	SC_HOW_PARAMETER,  /* nothing but the kernel's parameters */
	SC_HOW_PROGRAM,	   /* a declaration of the program */
	SC_HOW_FILE,	   /* a footprints file */
	SC_HOW_EXECUTION,  /* the simulated device, which executed the launch */
	SC_HOW_WORD,	   /* a word of the kernel's parameters, perhaps of a table's unused row */
	SC_HOW_DOCUMENTED, /* documented operands of the library's function that launched it */
	SC_HOW_RECORDED	   /* patches of the kernel, which recorded the launch on the GPU */
};

/* Whether nothing is known but the kernel's parameters. */
#define SC_HOW_IS_PARAMETERS(how) ((how) == SC_HOW_PARAMETER || (how) == SC_HOW_WORD)

/* When a copy of a batch reads its source (4.6); CUDA's numbers. And when a kernel touches memory
 * that waits for other grids (L-2): it had not waited, or perhaps; UNKNOWN: after the wait; or that
 * it reads and writes. */
enum sc_source_order {
	SC_SOURCE_UNKNOWN,     /* not recorded, or no source of a batch */
	SC_SOURCE_STREAM,      /* as any other work of the stream */
	SC_SOURCE_DURING_CALL, /* before the call returns */
	SC_SOURCE_ANY,	       /* from the call's entry on, until the copy is complete */
	SC_ACCESS_MAYBE_EARLY,
	SC_ACCESS_EARLY,
	SC_ACCESS_READ_FIRST, /* before the first write of these bytes */
	SC_ACCESS_MOVED,      /* what was read was only stored again; of an atomic: not wanted */
	SC_SOURCE_ORDERS
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
	uint8_t how;	/* enum sc_how */
	uint8_t order;	/* enum sc_source_order */
	uint8_t spare[3];
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

/* A node of an executable graph: its place in it. Nodes of child graphs and of conditional bodies
 * are numbered along; `parent` says which node they run inside of. */
struct sc_node {
	uint32_t index;	 /* from 0 */
	uint32_t parent; /* + 1; 0: the graph itself */
	uint32_t flags;	 /* enum sc_node_flag */
	uint32_t body;	 /* which body of a conditional parent */
};

enum sc_node_flag {
	SC_NODE_DISABLED = 1, /* does nothing (cuGraphNodeSetEnabled) */
	SC_NODE_ENABLED = 2,  /* does something again; nothing else changes */
	SC_NODE_UPDATE = 4,   /* a known node gets new parameters; its place stays */
	SC_NODE_MORE = 8      /* more dependencies of a known node */
};

struct sc_dependency {
	uint32_t node;
	uint8_t port; /* 0 complete, 1 programmatic, 2 launch order (CUgraphKernelNodePort) */
	uint8_t type; /* 0 full, 1 programmatic (CUgraphDependencyType) */
	uint16_t spare;
};
