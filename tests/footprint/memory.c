/* Memory of the test machine: buffers that record every byte touched, and private windows. */
#include "tests/footprint/memory.h"

#include <stdlib.h>
#include <string.h>

void memory_init(struct memory *m)
{
	memset(m, 0, sizeof(*m));
	m->shared = calloc(1, WINDOW_BYTES);
	if (!m->shared)
		abort();
}

void memory_fini(struct memory *m)
{
	for (unsigned i = 0; i < BUFFERS; i++) {
		free(m->bytes[i]);
		free(m->modes[i]);
	}
	free(m->shared);
}

uint64_t memory_buffer(struct memory *m, unsigned n)
{
	uint32_t state = 12345 + n;

	if (!m->bytes[n]) {
		m->bytes[n] = calloc(1, BUFFER_BYTES);
		m->modes[n] = calloc(1, BUFFER_BYTES);
	}
	if (!m->bytes[n] || !m->modes[n])
		abort();
	for (size_t i = 0; i < BUFFER_BYTES; i += 4) {
		uint32_t word;

		state = state * 1664525 + 1013904223;
		word = state >> 16 & 127;
		memcpy(m->bytes[n] + i, &word, sizeof(word));
	}
	memset(m->modes[n], 0, BUFFER_BYTES);
	return BUFFER_BASE(n) + BUFFER_FRONT;
}

static void *window_at(uint8_t *window, uint64_t start, uint64_t size, uint64_t address,
		       unsigned bytes)
{
	if (!window || address < start || address - start > size - bytes)
		return NULL;
	return window + (address - start);
}

void *memory_at(struct memory *m, uint64_t address, unsigned bytes, unsigned mode)
{
	uint64_t n = (address - BUFFER_BASE(0)) / (BUFFER_BASE(1) - BUFFER_BASE(0));
	uint64_t at = (address - BUFFER_BASE(0)) % (BUFFER_BASE(1) - BUFFER_BASE(0));
	void *host = window_at(m->shared, WINDOW_SHARED, WINDOW_BYTES, address, bytes);

	if (!host)
		host = window_at(m->local, WINDOW_LOCAL, LOCAL_BYTES, address, bytes);
	if (!host)
		host = window_at(m->param, WINDOW_PARAM, WINDOW_BYTES, address, bytes);
	if (host)
		return host;
	if (address >= BUFFER_BASE(0) && n < BUFFERS && m->bytes[n] && at + bytes <= BUFFER_BYTES) {
		for (unsigned i = 0; i < bytes; i++)
			m->modes[n][at + i] |= (uint8_t)mode;
		return m->bytes[n] + at;
	}
	if (!m->error) {
		m->error = "an access leads nowhere";
		m->error_address = address;
	}
	return NULL;
}
