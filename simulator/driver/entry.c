/* cuGetProcAddress: which function a name means in which version. */
#include <string.h>

#include "simulator/driver/api.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/tool/instrument.h"

struct entry {
	const char *base;
	int version;
	void *function;
	int twin_version; /* 0: no per-thread form */
	void *twin;
};

/* The rows of api.def, then everything else that cuda.h declares. */
static const struct entry entries[] = {
#define TWIN_NONE(symbol) NULL
#define TWIN_PTSZ(symbol) (void *)symbol##_ptsz
#define TWIN_PTDS(symbol) (void *)symbol##_ptds
#define API(base, version, symbol, body, twin, twin_version, class) \
	{#base, version, (void *)symbol, twin_version, TWIN_##twin(symbol)},
#include "simulator/driver/api.def"
#undef API
#define MISSING(base, version, symbol, twin) \
	{#base, version, (void *)symbol, version, (void *)twin},
#include "sim_api_missing.def"
#undef MISSING
};

/* The newest form that is not newer than asked for; `known` says that some form exists. */
static const struct entry *find(const char *base, int version, bool *known)
{
	const struct entry *best = NULL;
	size_t i;

	*known = false;
	for (i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		if (strcmp(entries[i].base, base) != 0)
			continue;
		*known = true;
		if (entries[i].version <= version && (!best || entries[i].version > best->version))
			best = &entries[i];
	}
	return best;
}

static void *choose(const struct entry *entry, int version, cuuint64_t flags)
{
	bool per_thread = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;

	if (per_thread && entry->twin_version && entry->twin_version <= version)
		return entry->twin;
	return entry->function;
}

static CUresult look_up(const char *symbol, void **pfn, int version, cuuint64_t flags,
			CUdriverProcAddressQueryResult *status)
{
	const struct entry *entry;
	bool known;

	if (!symbol || !pfn || version > SIM_VERSION ||
	    (flags & ~(cuuint64_t)(CU_GET_PROC_ADDRESS_LEGACY_STREAM |
				   CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)))
		return CUDA_ERROR_INVALID_VALUE;
	entry = find(symbol, version, &known);
	*pfn = entry ? choose(entry, version, flags) : NULL;
	*status = entry	  ? CU_GET_PROC_ADDRESS_SUCCESS
		  : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
			  : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	return CUDA_SUCCESS;
}

void *simulated_entry(const char *name)
{
	CUdriverProcAddressQueryResult status;
	void *function = NULL;

	look_up(name, &function, SIM_VERSION, 0, &status);
	return function;
}

/* With a status the answer to an unknown name is success; without one only the result can report
 * it. */
CUresult sim_cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
				 CUdriverProcAddressQueryResult *symbolStatus)
{
	CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
	CUresult result = look_up(symbol, pfn, cudaVersion, flags, &status);

	if (result == CUDA_SUCCESS && !symbolStatus && status != CU_GET_PROC_ADDRESS_SUCCESS)
		return CUDA_ERROR_NOT_FOUND;
	if (result == CUDA_SUCCESS && symbolStatus)
		*symbolStatus = status;
	return result;
}

CUresult sim_cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags)
{
	return sim_cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, NULL);
}
