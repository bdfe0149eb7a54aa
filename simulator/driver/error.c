/* Names and texts of errors. */
#include "simulator/driver/api.h"

struct error_row {
	CUresult code;
	const char *name;
	const char *text;
};

static const struct error_row rows[] = {
#define ERROR_ROW(name, text) {name, #name, text},
#include "simulator/driver/error.def"
#undef ERROR_ROW
};

static const struct error_row *find(CUresult code)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].code == code)
			return &rows[i];
	return NULL;
}

CUresult sim_cuGetErrorName(CUresult error, const char **pStr)
{
	const struct error_row *row = find(error);

	if (!pStr)
		return CUDA_ERROR_INVALID_VALUE;
	*pStr = row ? row->name : NULL;
	return row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuGetErrorString(CUresult error, const char **pStr)
{
	const struct error_row *row = find(error);

	if (!pStr)
		return CUDA_ERROR_INVALID_VALUE;
	*pStr = row ? row->text : NULL;
	return row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
