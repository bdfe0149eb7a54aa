/* Calls that ask where a variable of a module lies.
 *
 * Such a call may leave out the variable's size, as NVIDIA's runtime does for every symbol. Then
 * the driver is asked once more, with the same handle, before the program gets its answer.
 */
#include "interposer/call/row_functions.h"

#include <string.h>
#include "interposer/core/put.h"
#include "interposer/core/thread.h"
#include "interposer/driver/driver.h"
#include "interposer/object/managed_variable.h"
#include "interposer/object/handle.h"
#include "interposer/object/memory.h"

/* ---- the question ---- */

typedef CUresult size_question(const void *module, const char *name, size_t *bytes);

static CUresult ask_module(const void *module, const char *name, size_t *bytes)
{
	return sc_driver()->ModuleGetGlobal
		       ? sc_driver()->ModuleGetGlobal(NULL, bytes, (CUmodule)module, name)
		       : CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult ask_library(const void *library, const char *name, size_t *bytes)
{
	return sc_driver()->LibraryGetGlobal
		       ? sc_driver()->LibraryGetGlobal(NULL, bytes, (CUlibrary)library, name)
		       : CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult ask_managed(const void *library, const char *name, size_t *bytes)
{
	return sc_driver()->LibraryGetManaged
		       ? sc_driver()->LibraryGetManaged(NULL, bytes, (CUlibrary)library, name)
		       : CUDA_ERROR_NOT_SUPPORTED;
}

/* The program's own question was answered, so module and name are good. */
static void look(struct sc_call *call, const void *module, const char *name, size_question *ask)
{
	const struct sc_handle *h = sc_handle_find(SC_HANDLE_MODULE, module);
	struct sc_facts *f = &call->facts;
	struct sc_known_allocation known;
	size_t bytes = 0;

	f->module = h ? h->id : 0;
	if (f->bytes || !f->dst || !name)
		return;
	if (h && sc_memory_look_up(&sc_memory, f->dst, &known) && known.start == f->dst &&
	    known.module == h->id)
		f->bytes = known.bytes;
	else if (!sc_self.callback && !ask(module, name, &bytes))
		f->bytes = bytes;
}

/* HAND functions of the rows: the variable's size, and its module. */
void sc_symbol_in_module(struct sc_call *call)
{
	const cuModuleGetGlobal_v2_params *p = call->params;

	look(call, p->hmod, p->name, ask_module);
}

void sc_symbol_in_library(struct sc_call *call)
{
	const cuLibraryGetGlobal_params *p = call->params;

	look(call, p->library, p->name, ask_library);
}

void sc_symbol_managed(struct sc_call *call)
{
	const cuLibraryGetManaged_params *p = call->params;

	look(call, p->library, p->name, ask_managed);
}

/* ---- the answer ---- */

/* Of a managed variable, which has one address in all contexts, no context is named. */
static void put_symbol(const struct sc_call *call, const char *name, bool is_managed)
{
	struct sc_op op = {.kind = SC_OP_SYMBOL,
			   .object = call->facts.module,
			   .context = is_managed ? 0 : call->op.context,
			   .dst = call->op.dst,
			   .bytes = call->op.bytes};
	struct sc_attachment part = {SC_ATTACH_TEXT, 0, name};

	if (!op.object || !name || call->op.kind == SC_OP_NONE || !op.dst ||
	    (!is_managed && !op.context))
		return;
	part.bytes = (uint32_t)strlen(name);
	sc_put_op(&op, &part, 1);
}

/* AFTER functions of the same rows: a SYMBOL op says where the variable lies. */
void sc_symbol_found_in_module(struct sc_call *call)
{
	const cuModuleGetGlobal_v2_params *p = call->params;

	put_symbol(call, p->name, false);
}

void sc_symbol_found_in_library(struct sc_call *call)
{
	const cuLibraryGetGlobal_params *p = call->params;

	put_symbol(call, p->name, false);
}

void sc_symbol_found_managed(struct sc_call *call)
{
	const cuLibraryGetManaged_params *p = call->params;

	put_symbol(call, p->name, true);
	if (call->facts.module && call->op.kind != SC_OP_NONE && call->op.dst)
		sc_managed_variable_add(call->facts.module, call->op.dst);
}
