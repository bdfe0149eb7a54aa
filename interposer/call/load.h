/* Calls that load code, a module or a library: its image is kept (object/image.h). */
#pragma once

#include "interposer/call/call.h"

/* AFTER functions of the rows that load code: the op's peer becomes the image's id. */
void sc_load_module_data(struct sc_call *call);
void sc_load_module_data_ex(struct sc_call *call);
void sc_load_module_fatbin(struct sc_call *call);
void sc_load_module_file(struct sc_call *call);
void sc_load_library_data(struct sc_call *call);
void sc_load_library_file(struct sc_call *call);
