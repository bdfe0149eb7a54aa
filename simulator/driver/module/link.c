/* Linking at run time: what the parts declare, put together as an image of machine code.
 *
 * The image carries the PTX texts of its parts, which are linked by their names when a kernel is
 * first launched (program.h). Host objects and archives, in
 * which device code is hidden, are not looked into.
 */
#include <errno.h>
#include <stdlib.h>

#include "image/write.h"
#include "simulator/driver/api.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/module/module.h"

struct CUlinkState_st {
	struct sim_image image;
	struct sim_text *texts; /* owned, of all parts */
	size_t text_count;
	void *result; /* owned; NULL: not completed */
	size_t result_bytes;
};

/* The logs of the linking: always empty. */
static void clear_logs(unsigned int count, const CUjit_option *options, void **values)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES ||
		    options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
			values[i] = NULL;
}

CUresult sim_cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options, void **optionValues,
			     CUlinkState *stateOut)
{
	if (!stateOut || (numOptions && (!options || !optionValues)))
		return CUDA_ERROR_INVALID_VALUE;
	*stateOut = sim_handle_new(SIM_KIND_LINK, sizeof(**stateOut));
	if (!*stateOut)
		return CUDA_ERROR_OUT_OF_MEMORY;
	clear_logs(numOptions, options, optionValues);
	return CUDA_SUCCESS;
}

static void take_texts(CUlinkState state, struct sim_code *code)
{
	struct sim_text *text;

	while ((text = code->texts)) {
		code->texts = text->next;
		text->next = state->texts;
		state->texts = text;
		state->text_count++;
	}
}

/* Takes the code over. */
static CUresult add(CUlinkState state, CUjitInputType type, CUresult result, struct sim_code *code)
{
	int err;

	if (result == CUDA_ERROR_INVALID_IMAGE && type == CU_JIT_INPUT_PTX)
		return CUDA_ERROR_INVALID_PTX;
	if (result != CUDA_SUCCESS)
		return result;
	err = sim_image_merge(&state->image, code->image);
	if (!err)
		take_texts(state, code);
	sim_code_put(code);
	if (err == -EEXIST)
		return CUDA_ERROR_INVALID_IMAGE;
	return err ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

static CUresult check(CUlinkState state, CUjitInputType type)
{
	if (!sim_handle_is(state, SIM_KIND_LINK))
		return CUDA_ERROR_INVALID_HANDLE;
	if (state->result)
		return CUDA_ERROR_INVALID_VALUE;
	switch (type) {
	case CU_JIT_INPUT_CUBIN:
	case CU_JIT_INPUT_PTX:
	case CU_JIT_INPUT_FATBINARY: return CUDA_SUCCESS;
	case CU_JIT_INPUT_OBJECT:
	case CU_JIT_INPUT_LIBRARY:
	case CU_JIT_INPUT_NVVM: return CUDA_ERROR_NOT_SUPPORTED;
	case CU_JIT_NUM_INPUT_TYPES: break;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
			      const char *name, unsigned int numOptions, CUjit_option *options,
			      void **optionValues)
{
	struct sim_code *code = NULL;
	CUresult result = check(state, type);

	(void)name;
	if (result != CUDA_SUCCESS)
		return result;
	if (!data || !size || (numOptions && (!options || !optionValues)))
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_code_read(data, size, &code);
	return add(state, type, result, code);
}

CUresult sim_cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
			      unsigned int numOptions, CUjit_option *options, void **optionValues)
{
	struct sim_code *code = NULL;
	CUresult result = check(state, type);

	if (result != CUDA_SUCCESS)
		return result;
	if (numOptions && (!options || !optionValues))
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_code_load_file(path, &code);
	return add(state, type, result, code);
}

static int complete(CUlinkState state)
{
	struct sim_written_text *texts = calloc(state->text_count + 1, sizeof(*texts));
	const struct sim_text *text;
	size_t count = 0;
	int err;

	if (!texts)
		return -ENOMEM;
	for (text = state->texts; text; text = text->next)
		texts[count++] = (struct sim_written_text){text->bytes, text->size_bytes};
	err = sim_cubin_write(&state->image, texts, count, &state->result, &state->result_bytes);
	free(texts);
	return err;
}

CUresult sim_cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
	int err = 0;

	if (!sim_handle_is(state, SIM_KIND_LINK))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!cubinOut)
		return CUDA_ERROR_INVALID_VALUE;
	if (!state->result)
		err = complete(state);
	if (err)
		return err == -ENOMEM ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_IMAGE;
	*cubinOut = state->result;
	if (sizeOut)
		*sizeOut = state->result_bytes;
	return CUDA_SUCCESS;
}

CUresult sim_cuLinkDestroy(CUlinkState state)
{
	struct sim_text *text;

	if (!sim_handle_is(state, SIM_KIND_LINK))
		return CUDA_ERROR_INVALID_HANDLE;
	sim_handle_remove(state);
	sim_image_fini(&state->image);
	while ((text = state->texts)) {
		state->texts = text->next;
		free(text);
	}
	free(state->result);
	free(state);
	return CUDA_SUCCESS;
}
