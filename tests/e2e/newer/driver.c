/* A driver of CUDA 14.0, as far as program.c asks: it has functions that no header knows yet. */
#include <stddef.h>
#include <string.h>

#define EXPORT	    __attribute__((visibility("default")))
#define VERSION	    14000
#define NOT_FOUND   500
#define NEWER_SINCE 14000

static int juggled;

EXPORT int cuInit(unsigned flags)
{
	return (int)flags;
}

EXPORT int cuDriverGetVersion(int *version)
{
	*version = VERSION;
	return 0;
}

/* More parameters than registers have room for, and two floating-point ones. */
EXPORT int cuMemJuggleAsync(long a, long b, long c, long d, long e, long f, double g, double h,
			    long i, long j)
{
	juggled++;
	return a + b + c + d + e + f + i + j == 36 && g + h == 10 ? 0 : 1;
}

EXPORT int cuJuggleGetCount(int *count)
{
	*count = juggled;
	return 0;
}

EXPORT int cuJuggleNow(void)
{
	return 0;
}

EXPORT int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data)
{
	(void)stream;
	function(data);
	return 0;
}

/* A graph of one node, whose type is what the program says. */
static struct node {
	int type;
} the_node;
static int the_graph, the_exec;

EXPORT int cuGraphCreate(void **graph, unsigned flags)
{
	*graph = &the_graph;
	return (int)flags;
}

EXPORT int cuGraphAddNode_v2(struct node **node, void *graph, const void *before, const void *data,
			     size_t count, const int *params)
{
	*node = &the_node;
	the_node.type = *params;
	return graph != &the_graph || before || data || count;
}

EXPORT int cuGraphGetNodes(void *graph, struct node **nodes, size_t *count)
{
	if (nodes)
		*nodes = &the_node;
	*count = 1;
	return graph != &the_graph;
}

EXPORT int cuGraphGetEdges_v2(void *graph, void *from, void *to, void *data, size_t *count)
{
	(void)from;
	(void)to;
	(void)data;
	*count = 0;
	return graph != &the_graph;
}

EXPORT int cuGraphNodeGetType(const struct node *node, int *type)
{
	*type = node->type;
	return 0;
}

EXPORT int cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags)
{
	*exec = &the_exec;
	return graph != &the_graph || flags;
}

EXPORT int cuGraphExecNodeSetParams(void *exec, const struct node *node, const int *params)
{
	return exec != &the_exec || node->type != *params;
}

EXPORT int cuGraphLaunch(void *exec, void *stream)
{
	return exec != &the_exec || stream;
}

/* The form of 14.0: what the function was given lies behind a pointer. */
static int launch_newer(void **all)
{
	((void (*)(void *))all[0])(all[1]);
	return 0;
}

EXPORT int cuGetProcAddress_v2(const char *symbol, void **function, int version,
			       unsigned long long flags, int *status)
{
	const struct {
		const char *name;
		void *function;
	} all[] = {{"cuInit", (void *)cuInit},
		   {"cuDriverGetVersion", (void *)cuDriverGetVersion},
		   {"cuMemJuggleAsync", (void *)cuMemJuggleAsync},
		   {"cuJuggleGetCount", (void *)cuJuggleGetCount},
		   {"cuJuggleNow", (void *)cuJuggleNow},
		   {"cuLaunchHostFunc", (void *)cuLaunchHostFunc}};

	(void)flags;
	*function = NULL;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i].name, symbol))
			*function = all[i].function;
	if (!strcmp(symbol, "cuLaunchHostFunc") && version >= NEWER_SINCE)
		*function = (void *)launch_newer;
	if (status)
		*status = *function ? 0 : 1;
	return *function || status ? 0 : NOT_FOUND;
}

EXPORT int cuGetProcAddress(const char *symbol, void **function, int version,
			    unsigned long long flags)
{
	return cuGetProcAddress_v2(symbol, function, version, flags, NULL);
}
