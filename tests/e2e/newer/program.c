/* Calls functions of a driver that is newer than every header: program VERSION FUNCTION..., by
 * cuGetProcAddress of that version, or by dlsym if it is 0. node=TYPE makes a graph of one node. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int get_t(const char *, void **, int, unsigned long long, int *);

static void *library;
static get_t *get;
static int version;

static void *find(const char *name)
{
	void *function = NULL;
	int status;

	if (!version)
		return dlsym(library, name);
	get(name, &function, version, 0, &status);
	return function;
}

static void set(void *data)
{
	*(int *)data = 1;
}

static int launch(void *found)
{
	int was_set = 0;
	void *all[] = {(void *)set, &was_set};

	if (version >= 14000)
		((int (*)(void **))found)(all);
	else
		((int (*)(void *, void (*)(void *), void *))found)(NULL, set, &was_set);
	return !was_set;
}

/* A graph of one node of that type, which is given new parameters, and launched. */
static int graph_of(int type)
{
	int params[64] = {type};
	void *graph, *node, *exec;

	return ((int (*)(void **, unsigned))find("cuGraphCreate"))(&graph, 0) ||
	       ((int (*)(void **, void *, void *, void *, size_t, int *))find("cuGraphAddNode_v2"))(
		       &node, graph, NULL, NULL, 0, params) ||
	       ((int (*)(void **, void *, unsigned long long))find("cuGraphInstantiateWithFlags"))(
		       &exec, graph, 0) ||
	       ((int (*)(void *, void *, int *))find("cuGraphExecNodeSetParams"))(exec, node,
										  params) ||
	       ((int (*)(void *, void *))find("cuGraphLaunch"))(exec, NULL);
}

static int call(const char *name, int times)
{
	void *found = find(name);
	int count, failed = !found;

	if (!strncmp(name, "node=", 5))
		return graph_of(atoi(name + 5));
	for (int i = 0; i < times; i++) {
		if (!strcmp(name, "cuMemJuggleAsync"))
			failed |= ((int (*)(long, long, long, long, long, long, double, double,
					    long, long))found)(1, 2, 3, 4, 5, 6, 7, 3, 7, 8);
		else if (!strcmp(name, "cuJuggleGetCount"))
			failed |= ((int (*)(int *))found)(&count);
		else if (!strcmp(name, "cuLaunchHostFunc"))
			failed |= launch(found);
	}
	return failed;
}

int main(int argc, char **argv)
{
	int failed;

	library = dlopen("libcuda.so.1", RTLD_NOW);
	get = library ? (get_t *)dlsym(library, "cuGetProcAddress_v2") : NULL;
	if (!get || argc < 3)
		return 2;
	version = 14000;
	failed = ((int (*)(unsigned))find("cuInit"))(0);
	version = atoi(argv[1]);
	for (int i = 2; i < argc; i++)
		failed |=
			call(argv[i][0] == '-' ? argv[i] + 1 : argv[i], argv[i][0] == '-' ? 0 : 3);
	printf(failed ? "failed\n" : "done\n");
	return failed;
}
