/* Memory of the test machine: buffers that record every byte touched, and private windows.
 *
 * Addresses are plain numbers: a window each for shared, local and parameter memory, and far away
 * one region of BUFFER_BYTES per buffer. What a kernel does to a buffer is kept as mode bits
 * (enum sc_footprint_mode) for each byte.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define BUFFERS	       24
#define BUFFER_BYTES   (UINT64_C(1) << 20)
#define BUFFER_FRONT   (UINT64_C(1) << 18) /* bytes before the address that a kernel is given */
#define BUFFER_BASE(n) (UINT64_C(0x700000000000) + (uint64_t)(n)*UINT64_C(0x10000000))

#define WINDOW_BYTES  (UINT64_C(1) << 18)
#define LOCAL_BYTES   (UINT64_C(1) << 14)
#define WINDOW_SHARED UINT64_C(0x01000000)
#define WINDOW_LOCAL  UINT64_C(0x02000000)
#define WINDOW_PARAM  UINT64_C(0x03000000)

struct memory {
	uint8_t *bytes[BUFFERS]; /* owned; NULL if not in use */
	uint8_t *modes[BUFFERS]; /* owned: what was done to each byte */
	uint8_t *shared;	 /* owned: of the running block */
	uint8_t *local;		 /* borrowed: of the running thread */
	uint8_t *param;		 /* borrowed: the parameter image */
	const char *error;	 /* set by the first access that leads nowhere */
	uint64_t error_address;
};

void memory_init(struct memory *m);
void memory_fini(struct memory *m);
/* Makes buffer n, filled with small whole numbers; the address to hand to a kernel. */
uint64_t memory_buffer(struct memory *m, unsigned n);
/* Host address of `bytes` bytes after recording `mode`; NULL (and error set) if there are none. */
void *memory_at(struct memory *m, uint64_t address, unsigned bytes, unsigned mode);
