/* Calls that link code at run time: what each link gets, and what it gives out. */
#include "interposer/call/row_functions.h"

#include "interposer/object/origin.h"

/* Host objects and libraries hide their device code in sections that are not looked into. */
static bool is_image(CUjitInputType type)
{
	return type == CU_JIT_INPUT_PTX || type == CU_JIT_INPUT_FATBINARY ||
	       type == CU_JIT_INPUT_CUBIN;
}

/* AFTER functions of the rows. */
void sc_link_created(struct sc_call *call)
{
	const cuLinkCreate_v2_params *p = call->params;

	sc_origin_begin(*p->stateOut);
}

void sc_link_data_added(struct sc_call *call)
{
	const cuLinkAddData_v2_params *p = call->params;

	sc_origin_add(p->state, is_image(p->type) ? p->data : NULL, p->size);
}

void sc_link_data_added_v1(struct sc_call *call)
{
	const cuLinkAddData_params *p = call->params;

	sc_origin_add(p->state, is_image(p->type) ? p->data : NULL, p->size);
}

void sc_link_file_added(struct sc_call *call)
{
	const cuLinkAddFile_v2_params *p = call->params;

	sc_origin_add_file(p->state, is_image(p->type) ? p->path : NULL);
}

void sc_link_file_added_v1(struct sc_call *call)
{
	const cuLinkAddFile_params *p = call->params;

	sc_origin_add_file(p->state, is_image(p->type) ? p->path : NULL);
}

void sc_link_completed(struct sc_call *call)
{
	const cuLinkComplete_params *p = call->params;

	if (p->cubinOut)
		sc_origin_end(p->state, *p->cubinOut);
}
