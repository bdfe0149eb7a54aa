/* Kernel launches: kernels get an id, a name and a parameter layout; launches attach their values.
 */
#include "interposer/call/launch.h"

#include <string.h>
#include "interposer/call/declare.h"
#include "interposer/driver/driver.h"
#include "interposer/core/put.h"
#include "interposer/object/embedded.h"
#include "interposer/object/handle.h"
#include "interposer/object/kernel_text.h"
#include "interposer/object/param_layout.h"
#include "interposer/guard/guard.h"
#include "interposer/stack/stack.h"
#include "interposer/core/thread.h"
#include "interposer/core/scratch.h"
#include "interposer/core/windows.h"
#include "interposer/call/row_functions.h"

#define MOST_PARAMS (SC_SCRATCH_BYTES / sizeof(struct sc_param))

/* ---- kernels ---- */

typedef CUresult param_info(const void *function, size_t index, size_t *offset, size_t *bytes);

static CUresult function_param(const void *f, size_t index, size_t *offset, size_t *bytes)
{
	return sc_driver()->FuncGetParamInfo
		       ? sc_driver()->FuncGetParamInfo((CUfunction)f, index, offset, bytes)
		       : CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult kernel_param(const void *f, size_t index, size_t *offset, size_t *bytes)
{
	return sc_driver()->KernelGetParamInfo
		       ? sc_driver()->KernelGetParamInfo((CUkernel)f, index, offset, bytes)
		       : CUDA_ERROR_NOT_SUPPORTED;
}

/* The layout; NULL if the driver does not say it, as in a thread without a current context
 * (tests/gpu/probes/25_without_context.cu), or there is no memory. */
static const struct sc_param_layout *read_layout(const void *raw, param_info *info)
{
	struct sc_param *params = (struct sc_param *)sc_thread_scratch();
	size_t offset, bytes;
	uint32_t n = 0;
	CUresult end;

	if (!params)
		return NULL;
	while (!(end = info(raw, n, &offset, &bytes)) && n < MOST_PARAMS) {
		params[n].offset = (uint32_t)offset;
		params[n].bytes = (uint32_t)bytes;
		n++;
	}
	if (!end)
		sc_put_gap(SC_GAP_operands, 1);
	else if (end != CUDA_ERROR_INVALID_VALUE && end != CUDA_ERROR_NOT_SUPPORTED)
		return NULL;
	return sc_param_layout_keep(params, n);
}

static void write_function(const struct sc_handle *h, const char *name)
{
	const struct sc_param_layout *layout = sc_param_layout_of(h);
	struct sc_op op = {.kind = SC_OP_FUNCTION, .object = h->id, .peer = h->outer_id};
	struct sc_attachment part[2] = {{SC_ATTACH_TEXT, (uint32_t)strlen(name), name},
					{SC_ATTACH_LAYOUT,
					 layout->count * (uint32_t)sizeof(layout->param[0]),
					 layout->param}};

	sc_put_op(&op, part, layout->count ? 2 : 1);
}

static const char *name_of(const void *raw, bool is_kernel)
{
	const struct sc_driver *d = sc_driver();
	const char *name = NULL;

	if (is_kernel && d->KernelGetName && !d->KernelGetName(&name, (CUkernel)raw))
		return name;
	if (!is_kernel && d->FuncGetName && !d->FuncGetName(&name, (CUfunction)raw))
		return name;
	return NULL;
}

/* Of its name and module: what a handle means as long as neither changes. */
static uint64_t hash_name(const char *name, uint32_t module)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325) ^ module;

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
	return h;
}

/* The record is complete before the handle leads to it: other threads may launch the kernel, or
 * define it, too. */
static struct sc_handle *define(const void *raw, const char *name, bool is_kernel,
				struct sc_handle *module)
{
	struct sc_handle *h = sc_handle_find(SC_HANDLE_FUNCTION, raw);
	uint64_t hash = hash_name(name, module ? module->id : 0);

	if (h && h->name_hash == hash)
		return h;
	h = sc_handle_new(SC_HANDLE_FUNCTION, raw, 0, 0);
	if (!h)
		return NULL;
	h->name_hash = hash;
	h->text_name = sc_kernel_text_name(name, strlen(name));
	sc_handle_set_outer(h, module);
	if (module && !module->is_embedded)
		sc_embedded_exclude(hash_name(name, 0));
	h->is_kernel = is_kernel;
	h->layout = read_layout(raw, is_kernel ? kernel_param : function_param);
	write_function(h, name);
	return sc_handle_enter_function(h);
}

/* The module of a function that no seen call has found: one that a seen call has loaded, or the
 * code in the file that launches it: a runtime launches what its file carries. A kernel of a seen
 * module has other handles, too, so its name is never sought there. */
static struct sc_handle *module_of(CUfunction function, const char *name)
{
	const struct sc_driver *d = sc_driver();
	struct sc_handle *h = NULL;
	CUmodule raw = NULL;

	if (d->FuncGetModule && !d->FuncGetModule(&raw, function))
		h = sc_handle_find(SC_HANDLE_MODULE, raw);
	if (h)
		return sc_handle_is_dead(h) ? NULL : h;
	if (sc_embedded_is_excluded(hash_name(name, 0)))
		return NULL;
	return sc_embedded_module(sc_stack_place());
}

/* A node's function may be gone, so it is not asked for again; what it means now is not known. */
static struct sc_handle *see(const void *raw, bool is_node)
{
	struct sc_handle *h = sc_handle_find(SC_HANDLE_FUNCTION, raw);
	uint32_t changes = sc_embedded_changes();
	const char *name = NULL;

	if (!raw || (h && sc_embedded_is_current(h)))
		return h;
	if (h && is_node)
		return h->outer ? define(raw, "", false, NULL) : h;
	if (sc_driver()->FuncGetName && sc_driver()->FuncGetName(&name, (CUfunction)raw))
		name = NULL;
	if (name)
		h = define(raw, name, false, module_of((CUfunction)raw, name));
	else if (!h || h->outer)
		h = define(raw, "", false, NULL);
	if (h)
		atomic_store_explicit(&h->looked, changes, memory_order_relaxed);
	return h;
}

struct sc_handle *sc_launch_see(const void *raw)
{
	return see(raw, false);
}

/* AFTER functions of the rows that look a kernel up: the rows give the kernel's name. */
void sc_launch_function_named(struct sc_call *call)
{
	const cuModuleGetFunction_params *p = call->params;

	define(*p->hfunc, p->name, false, sc_handle_find(SC_HANDLE_MODULE, p->hmod));
}

void sc_launch_kernel_named(struct sc_call *call)
{
	const cuLibraryGetKernel_params *p = call->params;

	define(*p->pKernel, p->name, true, sc_handle_find(SC_HANDLE_MODULE, p->library));
}

static void list_functions(const CUfunction *functions, unsigned count, struct sc_handle *module)
{
	const char *name = NULL;

	for (unsigned i = 0; i < count && sc_driver()->FuncGetName; i++)
		if (!sc_driver()->FuncGetName(&name, functions[i]) && name)
			define(functions[i], name, false, module);
}

static void list_kernels(const CUkernel *kernels, unsigned count, struct sc_handle *module)
{
	const char *name = NULL;

	for (unsigned i = 0; i < count && sc_driver()->KernelGetName; i++)
		if (!sc_driver()->KernelGetName(&name, kernels[i]) && name)
			define(kernels[i], name, true, module);
}

/* What is asked for may be more than there is. */
void sc_launch_functions_listed(struct sc_call *call)
{
	const cuModuleEnumerateFunctions_params *p = call->params;
	struct sc_handle *module = sc_handle_find(SC_HANDLE_MODULE, p->mod);
	unsigned count = 0;

	if (module && p->functions && sc_driver()->ModuleGetFunctionCount &&
	    !sc_driver()->ModuleGetFunctionCount(&count, p->mod))
		list_functions(p->functions, count < p->numFunctions ? count : p->numFunctions,
			       module);
}

void sc_launch_kernels_listed(struct sc_call *call)
{
	const cuLibraryEnumerateKernels_params *p = call->params;
	struct sc_handle *module = sc_handle_find(SC_HANDLE_MODULE, p->lib);
	unsigned count = 0;

	if (module && p->kernels && sc_driver()->LibraryGetKernelCount &&
	    !sc_driver()->LibraryGetKernelCount(&count, p->lib))
		list_kernels(p->kernels, count < p->numKernels ? count : p->numKernels, module);
}

/* The context's function of a kernel is the same code under another handle. */
void sc_launch_function_of_kernel(struct sc_call *call)
{
	const cuKernelGetFunction_params *p = call->params;
	struct sc_handle *h = sc_handle_find(SC_HANDLE_FUNCTION, p->kernel);

	/* libraries ask again before each launch: what was kept of launches stays good then */
	if (!h || sc_handle_find(SC_HANDLE_FUNCTION, *p->pFunc) == h)
		return;
	sc_handle_alias(SC_HANDLE_FUNCTION, *p->pFunc, h);
}

/* A library's module is the same code under another handle. */
void sc_launch_module_of_library(struct sc_call *call)
{
	const cuLibraryGetModule_params *p = call->params;
	struct sc_handle *h = sc_handle_find(SC_HANDLE_MODULE, p->library);

	if (h && sc_handle_find(SC_HANDLE_MODULE, *p->pMod) != h)
		sc_handle_alias(SC_HANDLE_MODULE, *p->pMod, h);
}

/* ---- launches ---- */

/* What a launch needs to know of its kernel, all of one kernel. */
struct kernel {
	struct sc_handle *handle;
	uint32_t id;
	const struct sc_param_layout *layout;
};

static struct kernel kernel_of(struct sc_handle *h)
{
	return (struct kernel){h, h ? h->id : 0, sc_param_layout_of(h)};
}

/* As soon as the kernel's handle leads to another record, this one may be another kernel's. Such
 * changes are counted before that. */
static struct kernel see_whole(const void *raw, bool is_node)
{
	struct kernel k;
	unsigned before;

	do {
		before = atomic_load_explicit(&sc_handles.functions, memory_order_acquire);
		k = kernel_of(see(raw, is_node));
	} while (before != atomic_load_explicit(&sc_handles.functions, memory_order_acquire));
	return k;
}

/* What the call knows already: the id, which goes first when a record is used again, is the op's.
 */
static bool knows_kernel(const struct sc_call *call, struct kernel *k)
{
	*k = kernel_of(call->function);
	return k->handle && k->id == call->op.object && k->handle->id == k->id;
}

/* The parameter values that `extra` hands over as one buffer. */
static const void *extra_buffer(void **extra, size_t *bytes)
{
	const void *buffer = NULL;

	for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
		if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
			buffer = extra[1];
		else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
			*bytes = *(size_t *)extra[1];
		else
			return NULL;
	}
	return buffer;
}

/* Nearly all are pointers and integers; a call of memcpy for each would be felt. */
static void copy_value(uint8_t *to, const void *from, uint32_t bytes)
{
	if (bytes == 8)
		memcpy(to, from, 8);
	else if (bytes == 4)
		memcpy(to, from, 4);
	else
		memcpy(to, from, bytes);
}

/* Copies the parameter values to where the kernel will find them. Returns their size. */
static uint32_t build_image(uint8_t *image, size_t room, const struct sc_param_layout *layout,
			    void **params, void **extra)
{
	size_t bytes = 0;
	const void *buffer = extra_buffer(extra, &bytes);

	if (buffer && bytes <= room) {
		memcpy(image, buffer, bytes);
		return (uint32_t)bytes;
	}
	if (!params || layout->bytes > room)
		return 0;
	if (layout->has_gaps)
		memset(image, 0, layout->bytes);
	for (uint32_t i = 0; i < layout->count; i++) {
		const struct sc_param *p = &layout->param[i];

		if (params[i])
			copy_value(image + p->offset, params[i], p->bytes);
		else
			memset(image + p->offset, 0, p->bytes);
	}
	return layout->bytes;
}

/* Outside of windows it does not matter which bytes a launch touches; the nodes of a graph, which
 * it may run inside, are read when it is made. */
static bool is_left_out(const struct sc_call *call)
{
	return sc_windows_is_closed() && call->api->kind == SC_OP_KERNEL &&
	       !(call->op.flags & SC_FLAG_CAPTURED);
}

/* Asks again for what the driver did not say where the kernel was found; the function's record
 * is written again with it. */
static const struct sc_param_layout *learn_layout(struct sc_handle *h)
{
	bool is_kernel = h->is_kernel;
	const struct sc_param_layout *l = NULL;
	const char *name;

	if (sc_handle_may_ask(h))
		l = read_layout(h->raw, is_kernel ? kernel_param : function_param);
	if (!l)
		return sc_param_layout_of(h);
	h->layout = l;
	name = name_of(h->raw, is_kernel);
	if (name && l->count)
		write_function(h, name);
	return l;
}

static void attach(struct sc_call *call, struct kernel k, const struct sc_launch *shape,
		   void **params, void **extra)
{
	uint8_t *scratch = sc_thread_scratch();
	struct sc_launch *head = (struct sc_launch *)scratch;

	if (!k.handle || !scratch)
		return;
	call->function = k.handle;
	call->op.object = k.id;
	if (is_left_out(call)) {
		sc_declare_forget();
		return;
	}
	if (!k.handle->layout)
		k.layout = learn_layout(k.handle);
	*head = *shape;
	head->param_bytes = build_image(scratch + sizeof(*head), SC_SCRATCH_BYTES - sizeof(*head),
					k.layout, params, extra);
	sc_call_attach(call, SC_ATTACH_LAUNCH, head, (uint32_t)sizeof(*head) + head->param_bytes);
	if (sc_self.declared)
		sc_declare_attach(call);
}

void sc_launch_attach(struct sc_call *call, const void *function, const struct sc_launch *shape,
		      void **params, void **extra)
{
	struct kernel k;

	if (!knows_kernel(call, &k))
		k = see_whole(function, false);
	attach(call, k, shape, params, extra);
}

/* The driver may name the kernel of a node by another handle than the launch did. */
static const void *node_function(const CUDA_KERNEL_NODE_PARAMS_v3 *node, struct sc_handle_ref known,
				 const void *known_raw)
{
	const void *raw = node->func ? (const void *)node->func : (const void *)node->kern;
	const char *name, *other;

	if (!known_raw || !raw || sc_handle_find(SC_HANDLE_FUNCTION, raw))
		return raw;
	if (!sc_handle_of(known) || !sc_handle_may_ask(known.handle)) /* its code was unloaded */
		return known_raw;
	name = name_of(raw, !node->func);
	other = name_of(known_raw, true);
	if (!other)
		other = name_of(known_raw, false);
	return name && other && !strcmp(name, other) ? known_raw : raw;
}

void sc_launch_node(struct sc_call *call, const CUDA_KERNEL_NODE_PARAMS_v3 *node,
		    struct sc_handle_ref known, const void *raw)
{
	struct sc_launch shape = {.grid = {node->gridDimX, node->gridDimY, node->gridDimZ},
				  .block = {node->blockDimX, node->blockDimY, node->blockDimZ},
				  .shared_bytes = node->sharedMemBytes};
	struct kernel k;

	if (!knows_kernel(call, &k))
		k = see_whole(node_function(node, known, raw), true);
	attach(call, k, &shape, node->kernelParams, node->extra);
}

/* HAND functions of the launch rows. */
void sc_launch_plain(struct sc_call *call)
{
	const cuLaunchKernel_params *p = call->params;
	struct sc_launch shape = {.grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
				  .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
				  .shared_bytes = p->sharedMemBytes};

	sc_launch_attach(call, p->f, &shape, p->kernelParams, p->extra);
}

void sc_launch_cooperative(struct sc_call *call)
{
	const cuLaunchCooperativeKernel_params *p = call->params;
	struct sc_launch shape = {.grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
				  .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
				  .shared_bytes = p->sharedMemBytes,
				  .attributes = SC_LAUNCH_COOPERATIVE};

	sc_launch_attach(call, p->f, &shape, p->kernelParams, NULL);
}

/* The event that a launch records; waiting for it covers no copy, so the guard forgets the last
 * record. */
static uint32_t event_id(CUevent raw)
{
	struct sc_handle *h = raw ? sc_handle_see(SC_HANDLE_EVENT, raw) : NULL;

	if (!h)
		return 0;
	sc_guard_forget_record(sc_handle_refer(h));
	return h->id;
}

/* Section 9: attributes that let work start before the kernel is complete. Of two events that one
 * launch records, the op names one; the bits in the attachment stand for the other. */
static void weaken(struct sc_op *op, const CUlaunchAttribute *a)
{
	if (a->id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT && !op->peer) {
		op->peer = event_id(a->value.launchCompletionEvent.event);
		op->flags |= SC_FLAG_LAUNCH_COMPLETION;
	}
	if (a->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT) {
		op->peer = event_id(a->value.programmaticEvent.event);
		op->flags &= ~(uint32_t)SC_FLAG_LAUNCH_COMPLETION;
	}
}

void sc_launch_ex(struct sc_call *call)
{
	const cuLaunchKernelEx_params *p = call->params;
	const CUlaunchConfig *c = p->config;
	struct sc_launch shape = {0};
	uint32_t attributes;

	if (!c)
		return;
	attributes = sc_launch_attributes(c);
	shape = (struct sc_launch){.grid = {c->gridDimX, c->gridDimY, c->gridDimZ},
				   .block = {c->blockDimX, c->blockDimY, c->blockDimZ},
				   .shared_bytes = c->sharedMemBytes,
				   .attributes = attributes & ~SC_LAUNCH_EARLY};
	if (attributes & SC_LAUNCH_EARLY)
		call->op.flags |= SC_FLAG_PROGRAMMATIC;
	for (unsigned i = 0; sc_launch_has_event(attributes) && i < c->numAttrs; i++)
		weaken(&call->op, &c->attrs[i]);
	sc_launch_attach(call, p->f, &shape, p->kernelParams, p->extra);
}
