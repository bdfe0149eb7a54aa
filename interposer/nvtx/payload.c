/* NVTX: ranges that begin or end with data of the program's (the extension for payloads).
 *
 * NCCL and NIXL begin a range in the plain way and end it with what they found out meanwhile.
 * Without this the range would stay open, and all that the thread does later would lie in it. What
 * the data is, a name too, is not read.
 */
#include "interposer/nvtx/nvtx.h"

#include <stddef.h>

#define MODULE	    2	   /* nvToolsExtPayload.h of NVTX 3.1 and later */
#define OLDEST	    0x0103 /* forms of the extension, in which these have the same places */
#define NEWEST	    0x0104
#define NO_NAME	    "(a range without a name)"
#define PLACE_PUSH  3 /* in the table of functions */
#define PLACE_POP   4
#define PLACE_BEGUN 5
#define PLACE_ENDED 6

static int NVTX_API push(nvtxDomainHandle_t domain, const void *data, size_t count)
{
	(void)data;
	(void)count;
	return sc_nvtx_push(domain, NO_NAME);
}

static int NVTX_API pop(nvtxDomainHandle_t domain, const void *data, size_t count)
{
	(void)data;
	(void)count;
	return sc_nvtx_pop(domain);
}

static nvtxRangeId_t NVTX_API start(nvtxDomainHandle_t domain, const void *data, size_t count)
{
	(void)data;
	(void)count;
	return sc_nvtx_start(domain, NO_NAME);
}

static void NVTX_API end(nvtxDomainHandle_t domain, nvtxRangeId_t id, const void *data,
			 size_t count)
{
	(void)domain;
	(void)data;
	(void)count;
	sc_nvtx_end(id);
}

const struct sc_nvtx_entry sc_nvtx_payload[] = {{PLACE_PUSH, (void (*)(void))push},
						{PLACE_POP, (void (*)(void))pop},
						{PLACE_BEGUN, (void (*)(void))start},
						{PLACE_ENDED, (void (*)(void))end},
						{0, NULL}};

bool sc_nvtx_is_payload(unsigned module, unsigned form)
{
	return module == MODULE && form >= OLDEST && form <= NEWEST;
}
