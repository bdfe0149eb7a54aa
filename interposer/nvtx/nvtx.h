/* NVTX: ranges, marks and names that the program gives by NVTX's injection interface (nvtx.c), and
 * memory that it describes by the extension for memory (memory.c); what both share.
 */
#ifndef SC_INTERPOSER_NVTX_NVTX_H
#define SC_INTERPOSER_NVTX_NVTX_H

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <stdint.h>

#define SC_NVTX_TEXT 256 /* longer texts are cut */

/* A message, whatever its type; "" without one. It lies in `room` if it had to be converted, else
 * in the program; registered strings are ours. */
const char *sc_nvtx_text(char room[SC_NVTX_TEXT], int32_t type, nvtxMessageValue_t message);

#endif
