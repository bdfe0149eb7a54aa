/* Calls that load code: which image a module is of. */
#include "interposer/call/row_functions.h"

#include "interposer/core/session.h"
#include "interposer/object/image.h"
#include "interposer/object/origin.h"

static bool put(struct sc_call *call, struct sc_loaded_code loaded, struct sc_image_identity code)
{
	loaded.code = code;
	return sc_origin_put(call->op.object, &loaded);
}

/* What was compiled or linked at run time comes from the images that went into it. */
static void see_memory(struct sc_call *call, void *handle, const void *image)
{
	const struct sc_loaded_code loaded = {.handle = handle, .image = image};

	if (sc_session.options.images && !put(call, loaded, sc_image_identify(image)))
		call->op.peer = sc_image_keep(image, 0);
}

static void see_file(struct sc_call *call, void *handle, const char *path)
{
	const struct sc_loaded_code loaded = {.handle = handle, .path = path};

	if (sc_session.options.images && !put(call, loaded, sc_image_identify_file(path)))
		call->op.peer = sc_image_keep_file(path);
}

/* AFTER functions of the rows that load code: the op's peer becomes the image's id. */
void sc_load_module_data(struct sc_call *call)
{
	const cuModuleLoadData_params *p = call->params;

	see_memory(call, *p->module, p->image);
}

void sc_load_module_data_ex(struct sc_call *call)
{
	const cuModuleLoadDataEx_params *p = call->params;

	see_memory(call, *p->module, p->image);
}

void sc_load_module_fatbin(struct sc_call *call)
{
	const cuModuleLoadFatBinary_params *p = call->params;

	see_memory(call, *p->module, p->fatCubin);
}

void sc_load_module_file(struct sc_call *call)
{
	const cuModuleLoad_params *p = call->params;

	see_file(call, *p->module, p->fname);
}

void sc_load_library_data(struct sc_call *call)
{
	const cuLibraryLoadData_params *p = call->params;

	see_memory(call, *p->library, p->code);
}

void sc_load_library_file(struct sc_call *call)
{
	const cuLibraryLoadFromFile_params *p = call->params;

	see_file(call, *p->library, p->fileName);
}
