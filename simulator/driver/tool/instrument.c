/* The tool that changes kernels, and how it is notified of contexts, modules and launches. */
#include "simulator/driver/tool/instrument.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulator/driver/context/context.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/graph/graph.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/kernel/launch.h"
#include "simulator/driver/module/module.h"
#include "simulator/driver/tool/observe_state.h"
#include "simulator/driver/module/program.h"
#include "simulator/driver/stream/stream.h"
#include "simulator/driver/context/thread.h"
#include "simulator/driver/tool/tool.h"

static const struct simulated_tool *tool; /* borrowed, for good */
static unsigned int announcing;		  /* threads that notify the tool of what is new */
static uint64_t grids;

/* ---- notifying ---- */

/* The thread's state that calls of the tool change. */
struct pause {
	bool per_thread;
	unsigned int correlation;
};

static struct pause begin(void)
{
	struct sim_thread *thread = sim_thread_self();
	struct pause pause = {thread->per_thread, thread->correlation};

	sim_tool_thread()->is_inside = true;
	sim_unlock();
	return pause;
}

static void end(struct pause pause)
{
	struct sim_thread *thread = sim_thread_self();

	sim_lock();
	sim_tool_thread()->is_inside = false;
	thread->per_thread = pause.per_thread;
	thread->correlation = pause.correlation;
}

static void tell_context(CUcontext context, bool is_new)
{
	struct pause pause = begin();

	tool->context(context, is_new);
	end(pause);
}

static const char launcher[] = "cudaCDP2Launch";

static bool has_word(const struct sim_code *code, const char *word)
{
	const struct sim_text *text;

	for (text = code->texts; text; text = text->next)
		if (memmem(text->bytes, text->size_bytes, word, strlen(word)))
			return true;
	return false;
}

/* What an assembler would call the sections, and the function that it would link; NULL: out of
 * memory. */
static char *section_names(const struct sim_code *code, size_t *bytes)
{
	const struct sim_image *image = code->image;
	char *names = NULL;
	FILE *file = open_memstream(&names, bytes);

	if (!file)
		return NULL;
	for (size_t i = 0; i < image->kernel_count; i++)
		fprintf(file, ".text.%s%c", image->kernels[i].name, 0);
	if (has_word(code, launcher)) /* a kernel of it launches others */
		fprintf(file, "%s%c", launcher, 0);
	if (has_word(code, ".const ")) /* variables in constant memory */
		fprintf(file, ".nv.constant3%c", 0);
	fclose(file);
	return names;
}

static void tell_module(CUmodule module, bool is_new)
{
	CUcontext context = module->context;
	size_t bytes = 0;
	char *names = section_names(module->code, &bytes);
	struct pause pause = begin();

	tool->module(context, module, names, bytes, is_new);
	end(pause);
	free(names);
}

/* ---- what is new ---- */

static bool announce_one(void)
{
	CUcontext context;
	CUmodule module;

	for (context = sim_context_first(); context; context = context->next) {
		if (!context->is_announced) {
			context->is_announced = true;
			tell_context(context, true);
			return true;
		}
		for (module = context->modules; module; module = module->next)
			if (!module->is_announced) {
				module->is_announced = true;
				tell_module(module, true);
				return true;
			}
	}
	return false;
}

static void settle(void)
{
	while (sim_tool_take_news()) {
		announcing++;
		while (announce_one())
			;
		announcing--;
		sim_announce_change();
	}
}

/* Also what other threads are about to announce. */
static void settle_all(void)
{
	settle();
	while (announcing)
		sim_wait_change();
}

/* ---- what ends ---- */

static void end_module(CUmodule module)
{
	settle_all();
	if (sim_handle_is(module, SIM_KIND_MODULE))
		tell_module(module, false);
}

/* The next module of the context, or of the library, of which the tool does not know that it
 * ends. */
static CUmodule find_ending(CUcontext of_context, CUlibrary library)
{
	CUcontext context;
	CUmodule module;

	for (context = sim_context_first(); context; context = context->next)
		for (module = context->modules; module; module = module->next)
			if ((context == of_context || (library && module->library == library)) &&
			    !module->is_ending)
				return module;
	return NULL;
}

static void end_modules(CUcontext context, CUlibrary library)
{
	CUmodule module;

	while ((module = find_ending(context, library))) {
		module->is_ending = true;
		tell_module(module, false);
	}
}

static void end_library(CUlibrary library)
{
	settle_all();
	end_modules(NULL, library);
}

static void end_context(CUcontext context)
{
	if (!context || !sim_handle_is(context, SIM_KIND_CONTEXT))
		return;
	settle_all();
	if (!sim_handle_is(context, SIM_KIND_CONTEXT))
		return;
	tell_context(context, false);
	end_modules(context, NULL);
}

/* ---- texts ---- */

const char *simulated_text(CUmodule module, size_t index, size_t *bytes)
{
	const struct sim_text *text = NULL;

	sim_lock();
	if (sim_handle_is(module, SIM_KIND_MODULE))
		text = module->code->texts;
	while (text && index--)
		text = text->next;
	sim_unlock();
	if (!text)
		return NULL;
	*bytes = text->size_bytes;
	return text->bytes;
}

bool simulated_replaceTexts(CUmodule module, const struct simulated_new_text *texts, size_t count)
{
	struct sim_text *list = NULL, *text;

	for (size_t i = 0; i < count; i++) {
		text = malloc(sizeof(*text) + texts[i].bytes);
		if (!text) {
			sim_texts_free(list);
			return false;
		}
		text->size_bytes = texts[i].bytes;
		memcpy(text->bytes, texts[i].text, texts[i].bytes);
		text->next = list;
		list = text;
	}
	sim_lock();
	if (sim_handle_is(module, SIM_KIND_MODULE)) {
		sim_texts_free(module->changed);
		module->changed = list;
		list = NULL;
		sim_program_change(module);
	}
	sim_unlock();
	sim_texts_free(list);
	return true;
}

/* ---- launches ---- */

/* What is known of a kernel; its name is the caller's to free. */
static CUresult describe(const CUDA_KERNEL_NODE_PARAMS *params, const CUlaunchAttribute *attrs,
			 size_t attr_count, CUcontext context, struct simulated_launch *launch)
{
	CUresult result = sim_program_function(params, context, &launch->function);

	if (result == CUDA_SUCCESS)
		result = sim_launch_cluster(params, attrs, attr_count, launch->cluster);
	if (result != CUDA_SUCCESS)
		return result;
	launch->context = context;
	launch->module = launch->function->module;
	launch->name = strdup(launch->function->image->name);
	launch->grid[0] = params->gridDimX;
	launch->grid[1] = params->gridDimY;
	launch->grid[2] = params->gridDimZ;
	launch->block[0] = params->blockDimX;
	launch->block[1] = params->blockDimY;
	launch->block[2] = params->blockDimZ;
	launch->device = sim_context_home(context)->device->ordinal;
	launch->number = ++grids;
	return launch->name ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult notify_launch(const CUDA_KERNEL_NODE_PARAMS *params, const CUlaunchAttribute *attrs,
			      size_t attr_count, CUstream stream)
{
	CUcontext context = stream->context;
	uint64_t word = 0;
	struct simulated_launch launch = {.stream = stream, .word = &word};
	struct pause pause;
	CUfunction function;
	CUresult result = sim_program_function(params, context, &function);

	if (result != CUDA_SUCCESS)
		return result;
	settle_all();
	result = sim_context_check(context);
	if (result == CUDA_SUCCESS)
		result = sim_launch_check(params, context);
	if (result == CUDA_SUCCESS)
		result = describe(params, attrs, attr_count, context, &launch);
	if (result != CUDA_SUCCESS)
		return result;
	pause = begin();
	tool->launch(&launch);
	end(pause);
	free((char *)launch.name);
	sim_tool_thread()->grid = launch.number;
	sim_tool_thread()->word = word;
	return CUDA_SUCCESS;
}

/* ---- launches of graphs ---- */

/* The nodes of a launch, in the order in which it enqueues them; those that are off are none. */
struct nodes {
	size_t count;
	CUgraphNode *node;	    /* owned */
	struct simulated_node *all; /* owned, with the names of kernels */
};

static size_t count_nodes(CUgraph graph)
{
	size_t count = graph->count;
	CUgraph inner;

	for (size_t i = 0; i < graph->count; i++)
		for (size_t j = 0; (inner = sim_node_inner(graph->nodes[i], j)); j++)
			count += count_nodes(inner);
	return count;
}

static void list_nodes(CUgraph graph, struct nodes *to)
{
	CUgraph inner;

	for (size_t i = 0; i < graph->count; i++) {
		CUgraphNode node = graph->nodes[i];

		if (!node->is_disabled)
			to->node[to->count++] = node;
		for (size_t j = 0; (inner = sim_node_inner(node, j)); j++)
			list_nodes(inner, to);
	}
}

static void fini_nodes(struct nodes *nodes)
{
	for (size_t i = 0; nodes->all && i < nodes->count; i++)
		free((char *)nodes->all[i].launch.name);
	free(nodes->all);
	free(nodes->node);
}

static CUresult init_nodes(struct nodes *nodes, CUgraph graph)
{
	size_t most = count_nodes(graph);

	*nodes = (struct nodes){.node = calloc(most + 1, sizeof(*nodes->node)),
				.all = calloc(most + 1, sizeof(*nodes->all))};
	if (!nodes->node || !nodes->all)
		return CUDA_ERROR_OUT_OF_MEMORY;
	list_nodes(graph, nodes);
	return CUDA_SUCCESS;
}

/* Makes the modules of all kernels, so that they are announced before the launch. */
static CUresult make_modules(CUgraph graph)
{
	struct nodes nodes;
	CUresult result = init_nodes(&nodes, graph);
	CUfunction unused;

	for (size_t i = 0; i < nodes.count && result == CUDA_SUCCESS; i++)
		if (nodes.node[i]->type == CU_GRAPH_NODE_TYPE_KERNEL)
			result = sim_program_function(&nodes.node[i]->kernel.params,
						      nodes.node[i]->context, &unused);
	fini_nodes(&nodes);
	return result;
}

/* Driver 580 names the nodes of the graph that was instantiated; of one that allocations of an
 * earlier launch are freed for, as PyTorch has them, those of a copy. */
static CUgraphNode named(CUgraphExec exec, CUgraphNode node)
{
	bool is_copy = exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;

	return is_copy || !node->origin ? node : node->origin;
}

static CUresult describe_nodes(struct nodes *nodes, CUgraphExec exec, CUstream stream,
			       bool is_upload, uint64_t *word)
{
	CUresult result = init_nodes(nodes, exec->graph);

	for (size_t i = 0; i < nodes->count && result == CUDA_SUCCESS; i++) {
		struct simulated_node *to = &nodes->all[i];
		CUgraphNode node = nodes->node[i];

		to->exec = exec;
		to->exec_launch = exec->announced_launches;
		to->node = named(exec, node);
		to->type = node->type;
		to->is_upload = is_upload;
		to->call_context = stream->context;
		to->call_stream = stream;
		to->launch.stream = stream;
		to->launch.word = word;
		if (node->type == CU_GRAPH_NODE_TYPE_KERNEL)
			result = describe(&node->kernel.params, node->kernel.attrs,
					  node->kernel.attr_count, node->context, &to->launch);
		node->grid = to->launch.number;
	}
	return result;
}

static CUresult notify_graph(CUgraphExec exec, CUstream stream, bool is_upload)
{
	CUresult result = make_modules(exec->graph);
	uint64_t word = 0, id = exec->id;
	struct pause pause;
	struct nodes nodes;

	if (result != CUDA_SUCCESS)
		return result;
	settle_all();
	if (!sim_handle_is(exec, SIM_KIND_EXEC) || exec->id != id)
		return CUDA_ERROR_INVALID_VALUE;
	exec->announced_launches += !is_upload;
	result = describe_nodes(&nodes, exec, stream, is_upload, &word);
	pause = begin();
	for (size_t i = 0; i < nodes.count && result == CUDA_SUCCESS; i++)
		tool->node(&nodes.all[i]);
	end(pause);
	fini_nodes(&nodes);
	sim_tool_thread()->word = word;
	return result;
}

bool simulated_setTool(const struct simulated_tool *new_tool)
{
	static const struct sim_tool calls = {.settle = settle,
					      .end_module = end_module,
					      .end_library = end_library,
					      .end_context = end_context,
					      .launch = notify_launch,
					      .graph = notify_graph};

	if (atomic_exchange(&sim_observer.is_taken, true))
		return false;
	tool = new_tool;
	sim_tool_set(&calls);
	return true;
}

bool simulated_hasTool(void)
{
	return sim_tool() != NULL;
}
