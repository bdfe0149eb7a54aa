/* Calls that load code: which image a module is of. */
#include "interposer/call/load.h"

#include "interposer/core/session.h"
#include "interposer/object/image.h"
#include "interposer/object/origin.h"

/* What was compiled or linked at run time comes from the images that went into it. */
static void see_memory(struct sc_call *call, const void *image)
{
	if (sc_session.options.images &&
	    !sc_origin_put(call->op.object, sc_image_identify(image), image, NULL))
		call->op.peer = sc_image_keep(image, 0);
}

static void see_file(struct sc_call *call, const char *path)
{
	if (sc_session.options.images &&
	    !sc_origin_put(call->op.object, sc_image_identify_file(path), NULL, path))
		call->op.peer = sc_image_keep_file(path);
}

void sc_load_module_data(struct sc_call *call)
{
	see_memory(call, ((const cuModuleLoadData_params *)call->params)->image);
}

void sc_load_module_data_ex(struct sc_call *call)
{
	see_memory(call, ((const cuModuleLoadDataEx_params *)call->params)->image);
}

void sc_load_module_fatbin(struct sc_call *call)
{
	see_memory(call, ((const cuModuleLoadFatBinary_params *)call->params)->fatCubin);
}

void sc_load_module_file(struct sc_call *call)
{
	see_file(call, ((const cuModuleLoad_params *)call->params)->fname);
}

void sc_load_library_data(struct sc_call *call)
{
	see_memory(call, ((const cuLibraryLoadData_params *)call->params)->code);
}

void sc_load_library_file(struct sc_call *call)
{
	see_file(call, ((const cuLibraryLoadFromFile_params *)call->params)->fileName);
}
