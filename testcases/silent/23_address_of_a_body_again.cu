// A graph with a conditional node is destroyed, its body with it. New graphs get the address of
// the body; so do graphs after the conditional node alone was destroyed.
// expect: clean
#include "testcases/driver.h"

static CUcontext context;

static CUgraph add_conditional(CUgraph graph, CUgraphNode *node)
{
	static auto create = DRIVER(cuGraphConditionalHandleCreate);
	static auto add = DRIVER(cuGraphAddNode);
	CUgraphNodeParams p = {};

	p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
	DRIVER_CHECK(create(&p.conditional.handle, graph, context, 0, 0));
	p.conditional.type = CU_GRAPH_COND_TYPE_IF;
	p.conditional.size = 1;
	p.conditional.ctx = context;
	DRIVER_CHECK(add(node, graph, NULL, NULL, 0, &p));
	return p.conditional.phGraph_out[0];
}

int main()
{
	CUgraph graph, others[8];
	CUgraphNode node;

	CHECK(cudaFree(0));
	auto current = DRIVER(cuCtxGetCurrent);
	auto create = DRIVER(cuGraphCreate);
	auto destroy = DRIVER(cuGraphDestroy);
	auto destroy_node = DRIVER(cuGraphDestroyNode);
	DRIVER_CHECK(current(&context));
	for (int i = 0; i < 20; i++) {
		DRIVER_CHECK(create(&graph, 0));
		add_conditional(graph, &node);
		DRIVER_CHECK(destroy(graph));
		for (CUgraph &other : others)
			DRIVER_CHECK(create(&other, 0));
		for (CUgraph &other : others) {
			add_conditional(other, &node);
			DRIVER_CHECK(destroy_node(node));
			DRIVER_CHECK(destroy(other));
		}
	}
	return 0;
}
