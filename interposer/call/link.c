/* Calls that link code at run time: what each link gets, and what it gives out. */
#include "interposer/call/link.h"

#include "interposer/object/image.h"
#include "interposer/object/origin.h"

/* Host objects and libraries hide their device code in sections that are not looked into. */
static uint32_t keep_data(CUjitInputType type, const void *data, size_t bytes)
{
	if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY &&
	    type != CU_JIT_INPUT_CUBIN)
		return 0;
	return bytes ? sc_image_keep(data, bytes) : 0;
}

static uint32_t keep_file(CUjitInputType type, const char *path)
{
	if (!path || (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY &&
		      type != CU_JIT_INPUT_CUBIN))
		return 0;
	return sc_image_keep_file(path);
}

void sc_link_created(struct sc_call *call)
{
	const cuLinkCreate_v2_params *p = call->params;

	sc_origin_begin(*p->stateOut);
}

void sc_link_data_added(struct sc_call *call)
{
	const cuLinkAddData_v2_params *p = call->params;

	sc_origin_add(p->state, keep_data(p->type, p->data, p->size));
}

void sc_link_data_added_v1(struct sc_call *call)
{
	const cuLinkAddData_params *p = call->params;

	sc_origin_add(p->state, keep_data(p->type, p->data, p->size));
}

void sc_link_file_added(struct sc_call *call)
{
	const cuLinkAddFile_v2_params *p = call->params;

	sc_origin_add(p->state, keep_file(p->type, p->path));
}

void sc_link_file_added_v1(struct sc_call *call)
{
	const cuLinkAddFile_params *p = call->params;

	sc_origin_add(p->state, keep_file(p->type, p->path));
}

void sc_link_completed(struct sc_call *call)
{
	const cuLinkComplete_params *p = call->params;

	if (p->cubinOut)
		sc_origin_end(p->state, *p->cubinOut);
}
