/* A stand-in for libsanitizer-public.so on the simulated device: the functions that the recorder
 * uses, and no others, as documented and as seen on GPUs (docs/dev/gpu.md, "The Sanitizer API").
 *
 * Patches are what the recorder gives: their PTX is added to that of the module, in which each
 * instruction that is patched calls them (patch.h), so that they run as device code, many threads
 * at once. What is wrong is refused: a patch that no image has, a launch that is not the one of the
 * callback, an instruction that is not known here. Records are valid inside of the callback only.
 */
#include "tests/sanitizer/api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "image/image.h"
#include "image/text.h"
#include "simulator/driver/tool/instrument.h"
#include "tests/sanitizer/patch.h"

#define DOMAINS	   11
#define CALLBACKS  16
#define ARCH	   90
#define TEXT_BYTES ((size_t)16 << 20)
#define TEXTS	   64 /* of a module, patches along */

/* As sanitizer_result.h has them. */
enum result {
	DONE,
	INVALID_PARAMETER = 1,
	INVALID_DOMAIN = 4,
	INVALID_CALLBACK = 5,
	OUT_OF_MEMORY = 7,
	NOT_SUPPORTED = 14
};

/* PTX of patches. */
struct image_text {
	struct image_text *next;
	CUcontext context;
	size_t bytes;
	char text[];
};

struct module {
	struct module *next;
	CUcontext context;
	CUmodule module;
	struct standin_patches patches;
};

static struct {
	pthread_mutex_t lock;
	sc_sanitizer_callback *callback;
	void *data;
	bool is_enabled[DOMAINS][CALLBACKS];
	struct image_text *texts; /* owned, as the modules */
	struct module *modules;
} standin = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The launch whose callback runs on this thread, or NULL. */
static __thread const struct simulated_launch *launching;

/* ---- the driver ---- */

static struct {
	typeof(simulated_setTool) *set_tool;
	typeof(simulated_text) *text;
	typeof(simulated_replaceTexts) *replace_texts;
} driver;

static bool find_driver(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);

	if (!library || !standin_memory_find(dlsym(library, "simulated_entry")))
		return false;
	driver.set_tool = (typeof(driver.set_tool))dlsym(library, "simulated_setTool");
	driver.text = (typeof(driver.text))dlsym(library, "simulated_text");
	driver.replace_texts =
		(typeof(driver.replace_texts))dlsym(library, "simulated_replaceTexts");
	return driver.set_tool && driver.text && driver.replace_texts;
}

/* ---- callbacks ---- */

static void call(int domain, uint32_t id, const void *record)
{
	if (standin.is_enabled[domain][id])
		standin.callback(standin.data, domain, id, record);
}

static void on_context(CUcontext context, bool is_new)
{
	const struct sc_sanitizer_context record = {.context = context};

	standin_memory_refuse(is_new ? context : NULL);
	call(SC_SANITIZER_RESOURCE,
	     is_new ? SC_SANITIZER_CONTEXT_CREATED : SC_SANITIZER_CONTEXT_DESTROYING, &record);
	standin_memory_refuse(NULL);
	if (!is_new)
		standin_memory_forget(context);
}

static struct module **find_module(CUmodule module)
{
	struct module **at = &standin.modules;

	while (*at && (*at)->module != module)
		at = &(*at)->next;
	return at;
}

static void add_module(CUcontext context, CUmodule module)
{
	struct module *made = calloc(1, sizeof(*made));

	if (!made)
		return;
	pthread_mutex_lock(&standin.lock);
	*made = (struct module){.next = standin.modules, .context = context, .module = module};
	standin.modules = made;
	pthread_mutex_unlock(&standin.lock);
}

static void remove_module(CUmodule module)
{
	struct module **at, *gone;

	pthread_mutex_lock(&standin.lock);
	at = find_module(module);
	gone = *at;
	if (gone)
		*at = gone->next;
	pthread_mutex_unlock(&standin.lock);
	free(gone);
}

static void on_module(CUcontext context, CUmodule module, const char *names, size_t bytes,
		      bool is_new)
{
	const struct sc_sanitizer_module record = {context, module, bytes, names};

	if (is_new)
		add_module(context, module);
	call(SC_SANITIZER_RESOURCE,
	     is_new ? SC_SANITIZER_MODULE_LOADED : SC_SANITIZER_MODULE_UNLOADING, &record);
	if (!is_new)
		remove_module(module);
}

static struct sc_sanitizer_launching launching_of(const struct simulated_launch *l,
						  struct standin_stream *stream)
{
	struct sc_sanitizer_launching record = {.context = l->context,
						.stream = l->stream,
						.stream_handle = stream,
						.module = l->module,
						.function = l->function,
						.name = l->name,
						.number = l->number,
						.launch = l->word,
						.device = l->device};

	memcpy(record.shape, l->grid, sizeof(l->grid));
	memcpy(record.shape + 3, l->block, sizeof(l->block));
	memcpy(record.shape + 6, l->cluster, sizeof(l->cluster));
	return record;
}

static void on_launch(const struct simulated_launch *l)
{
	struct standin_stream stream = {STANDIN_STREAM, l->context, l->stream};
	const struct sc_sanitizer_launching record = launching_of(l, &stream);

	launching = l;
	call(SC_SANITIZER_LAUNCH, SC_SANITIZER_LAUNCH_BEGIN, &record);
	launching = NULL;
	stream.magic = 0;
}

/* Of other nodes than kernels all is there but what is read as a kernel's. */
static void on_node(const struct simulated_node *n)
{
	struct standin_stream stream = {STANDIN_STREAM, n->call_context, n->call_stream};
	struct sc_sanitizer_node record = {.exec = n->exec,
					   .launch = n->exec_launch,
					   .node = n->node,
					   .type = n->type,
					   .is_upload = n->is_upload};

	memset(record.room, 0xA5, sizeof(record.room));
	if (n->type == CU_GRAPH_NODE_TYPE_KERNEL) {
		record.launching = launching_of(&n->launch, &stream);
		record.launching.call_context = n->call_context;
		record.launching.call_stream = n->call_stream;
		record.launching.call_stream_handle = &stream;
		launching = &n->launch;
	}
	call(SC_SANITIZER_GRAPHS, SC_SANITIZER_NODE_BEGIN, &record);
	launching = NULL;
	stream.magic = 0;
}

STANDIN int sanitizerSubscribe(void **subscriber, sc_sanitizer_callback *callback, void *data)
{
	static const struct simulated_tool tool = {on_context, on_module, on_launch, on_node};

	if (!subscriber || !callback)
		return INVALID_PARAMETER;
	if (!find_driver())
		return NOT_SUPPORTED;
	if (standin.callback)
		return SC_SANITIZER_TAKEN;
	standin.callback = callback;
	standin.data = data;
	if (!driver.set_tool(&tool)) {
		standin.callback = NULL;
		return SC_SANITIZER_TAKEN;
	}
	*subscriber = &standin;
	return DONE;
}

STANDIN int sanitizerEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t id)
{
	if (subscriber != &standin)
		return INVALID_PARAMETER;
	if (domain < 1 || domain >= DOMAINS)
		return INVALID_DOMAIN;
	if (!id || id >= CALLBACKS)
		return INVALID_CALLBACK;
	standin.is_enabled[domain][id] = enable != 0;
	return DONE;
}

STANDIN int sanitizerSetLaunchCallbackData(void *launch, CUfunction function, void *stream,
					   const void *data)
{
	if (!launching || launch != launching->word || function != launching->function ||
	    !standin_is_stream(stream))
		return INVALID_PARAMETER;
	*launching->word = (uint64_t)data;
	return DONE;
}

/* ---- patches ---- */

static void take_text(void *context, const char *text, size_t bytes)
{
	struct image_text *made = malloc(sizeof(*made) + bytes);

	if (!made)
		return;
	made->context = context;
	made->bytes = bytes;
	memcpy(made->text, text, bytes);
	made->next = standin.texts;
	standin.texts = made;
}

STANDIN int sanitizerAddPatches(const void *image, CUcontext context)
{
	const struct sim_text_request request = {ARCH, TEXT_BYTES, take_text, context};
	const struct image_text *before = standin.texts;
	bool is_sure, is_new;
	const void *data;
	size_t bytes;

	if (!context || sim_image_locate(image, &data, &bytes))
		return INVALID_PARAMETER;
	pthread_mutex_lock(&standin.lock);
	sim_image_texts(data, bytes, &request, &is_sure);
	is_new = standin.texts != before;
	pthread_mutex_unlock(&standin.lock);
	return is_new ? DONE : INVALID_PARAMETER;
}

/* The context has a function of that name. */
static bool has_patch(CUcontext context, const char *name)
{
	const struct image_text *t;
	size_t length = strlen(name);

	for (t = standin.texts; t; t = t->next) {
		const char *at = t->text, *end = t->text + t->bytes;

		while (t->context == context &&
		       (at = memmem(at, (size_t)(end - at), name, length))) {
			at += length;
			if (at < end && *at == '(')
				return true;
		}
	}
	return false;
}

STANDIN int sanitizerPatchInstructions(int instruction, CUmodule module, const char *name)
{
	int result = INVALID_PARAMETER;
	struct module *m;

	if (instruction < 0 || instruction >= STANDIN_KINDS || !name)
		return result;
	pthread_mutex_lock(&standin.lock);
	m = *find_module(module);
	if (m && has_patch(m->context, name)) {
		m->patches.function[instruction] = name;
		result = DONE;
	}
	pthread_mutex_unlock(&standin.lock);
	return result;
}

/* What the module's kernels run from now on. */
struct texts {
	struct simulated_new_text text[TEXTS];
	char *owned[TEXTS];
	size_t count;
};

/* False: a text cannot be patched, or there are too many, or none. */
static bool patch_texts(const struct module *m, struct texts *to)
{
	const char *text;
	size_t bytes;

	for (size_t i = 0; (text = driver.text(m->module, i, &bytes)); i++) {
		struct simulated_new_text *made = &to->text[to->count];

		if (to->count == TEXTS)
			return false;
		to->owned[to->count] = standin_patch(&m->patches, text, bytes, &made->bytes);
		made->text = to->owned[to->count];
		if (!to->owned[to->count++])
			return false;
	}
	return to->count > 0;
}

static bool add_patches(CUcontext context, struct texts *to)
{
	for (const struct image_text *t = standin.texts; t; t = t->next) {
		if (t->context != context)
			continue;
		if (to->count == TEXTS)
			return false;
		to->text[to->count++] = (struct simulated_new_text){t->text, t->bytes};
	}
	return true;
}

static int patch_module(const struct module *m)
{
	struct texts texts = {.count = 0};
	int result = NOT_SUPPORTED;

	if (patch_texts(m, &texts) && add_patches(m->context, &texts))
		result = driver.replace_texts(m->module, texts.text, texts.count) ? DONE
										  : OUT_OF_MEMORY;
	for (size_t i = 0; i < TEXTS; i++)
		free(texts.owned[i]);
	return result;
}

STANDIN int sanitizerPatchModule(CUmodule module)
{
	int result = INVALID_PARAMETER;
	const struct module *m;

	pthread_mutex_lock(&standin.lock);
	m = *find_module(module);
	if (m)
		result = patch_module(m);
	pthread_mutex_unlock(&standin.lock);
	return result;
}
