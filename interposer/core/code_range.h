/* Where code lives: the executable mappings of the process and what kind of file each is.
 *
 * The list is scanned when the session starts and again when a stack shows a program counter that
 * no known mapping holds and the loader has loaded something since. Each mapping is written to the
 * trace once, as a MAP op. Lookups take no lock and may run in a signal handler.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum sc_code_kind {
	SC_CODE_UNKNOWN, /* no file: generated code */
	SC_CODE_PROGRAM, /* the application and its libraries */
	SC_CODE_OWN,	 /* libstreamcheck.so */
	SC_CODE_DRIVER,	 /* libcuda.so, and CUPTI */
	SC_CODE_RUNTIME, /* libcudart.so */
	SC_CODE_LIBRARY	 /* NVIDIA libraries that build on the runtime (0.4) */
};

#define SC_RANGES 2048

struct sc_code_range {
	uint64_t start, bytes;
	const uint8_t *eh_frame_hdr; /* the loaded object's; NULL: none */
	uint32_t code;		     /* enum sc_code_kind */
};

struct sc_code_ranges {
	atomic_uint scanning;
	atomic_uint count;
	uint64_t generation, seen;     /* the loader's counters at the last scan, and during one */
	uint64_t own_start, own_bytes; /* libstreamcheck.so's code */
	struct sc_code_range range[SC_RANGES];
};

extern struct sc_code_ranges sc_code_ranges;

/* The mapping that holds `pc`, or NULL. */
const struct sc_code_range *sc_code_range_find(uint64_t pc);
/* What code lives at `pc`. */
enum sc_code_kind sc_code_range_kind(uint64_t pc);
/* True for code of libstreamcheck.so itself; cheaper. */
static inline bool sc_code_range_is_own(const struct sc_code_ranges *ranges, uint64_t pc)
{
	return pc - ranges->own_start < ranges->own_bytes;
}
/* Kind of the file by its path: used by the scan, and by its test. */
enum sc_code_kind sc_code_range_classify(const char *path);
/* Kind of the file that the loader has at an address, known by a scan or not; takes its lock. */
enum sc_code_kind sc_code_range_file_kind(const void *address);
/* Reads the loader's list again if it changed, and writes MAP ops for what is new. */
void sc_code_range_scan(void);
