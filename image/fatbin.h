/* The layout of fatbins as nvcc 13 writes them (little-endian). */
#pragma once

#include <stdint.h>

#define SIM_WRAPPER_MAGIC 0x466243b1u
#define SIM_FATBIN_MAGIC  0xba55ed50u

struct sim_fatbin_wrapper {
	uint32_t magic;
	uint32_t version; /* 2: made by a device link */
	const void *data; /* the fatbin */
	const void *linked;
};

struct sim_fatbin_head {
	uint32_t magic;
	uint16_t version;
	uint16_t header_bytes;
	uint64_t payload_bytes;
};

enum { SIM_FATBIN_PTX = 1, SIM_FATBIN_ELF = 2 };
enum { SIM_FATBIN_LZ4 = 0x2000, SIM_FATBIN_ZSTD = 0x8000 };

struct sim_fatbin_entry {
	uint16_t kind;
	uint16_t version;
	uint32_t header_bytes;
	uint64_t stored_bytes;	   /* padded; the next entry follows */
	uint32_t compressed_bytes; /* 0 when plain */
	uint32_t reserved[2];
	uint32_t arch; /* 90 for sm_90 */
	uint32_t reserved2[2];
	uint64_t flags;
	uint64_t reserved3;
	uint64_t plain_bytes;
};

_Static_assert(sizeof(struct sim_fatbin_head) == 16, "fatbin head");
_Static_assert(sizeof(struct sim_fatbin_entry) == 64, "fatbin entry");
