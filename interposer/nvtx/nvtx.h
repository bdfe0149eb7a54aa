/* NVTX: ranges, marks and names that the program gives by NVTX's injection interface (nvtx.c),
 * memory that it describes by the extension for memory (memory.c), and ranges with data by the
 * extension for payloads (payload.c); what they share.
 */
#pragma once

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <stdbool.h>
#include <stdint.h>

#define SC_NVTX_TEXT 256 /* longer texts are cut */

/* A message, whatever its type; "" without one. It lies in `room` if it had to be converted, else
 * in the program; registered strings are ours. */
const char *sc_nvtx_text(char room[SC_NVTX_TEXT], int32_t type, nvtxMessageValue_t message);

/* Ranges of this thread, which lie in each other: the depth of the range, or an error of NVTX's. */
int sc_nvtx_push(nvtxDomainHandle_t domain, const char *text);
int sc_nvtx_pop(nvtxDomainHandle_t domain);
/* Ranges that may begin in one thread and end in another. */
nvtxRangeId_t sc_nvtx_start(nvtxDomainHandle_t domain, const char *text);
void sc_nvtx_end(nvtxRangeId_t id);

/* A function of an extension, by its place in the table that NVTX hands over; the last is NULL. */
struct sc_nvtx_entry {
	unsigned place;
	void (*function)(void);
};

extern const struct sc_nvtx_entry sc_nvtx_payload[];

/* Is the extension the one for payloads, in a form whose places are known? */
bool sc_nvtx_is_payload(unsigned module, unsigned form);
