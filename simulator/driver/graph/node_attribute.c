/* Launch attributes of kernel nodes: kept for the getters; none of them orders nodes (rule L-6). */
#include <stdlib.h>
#include <string.h>

#include "simulator/driver/api.h"
#include "simulator/driver/graph/graph.h"
#include "simulator/driver/graph/node_api.h"

static CUlaunchAttribute *find(CUgraphNode node, CUlaunchAttributeID id)
{
	unsigned int i;

	for (i = 0; i < node->kernel.attr_count; i++)
		if (node->kernel.attrs[i].id == id)
			return &node->kernel.attrs[i];
	return NULL;
}

static bool is_known(CUlaunchAttributeID id)
{
	return id > CU_LAUNCH_ATTRIBUTE_IGNORE &&
	       id <= CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING &&
	       id != CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY;
}

CUresult sim_cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
					   CUkernelNodeAttrValue *value_out)
{
	CUresult result = sim_node_check(hNode, CU_GRAPH_NODE_TYPE_KERNEL, value_out);
	const CUlaunchAttribute *found;

	if (result != CUDA_SUCCESS || !is_known(attr))
		return CUDA_ERROR_INVALID_VALUE;
	memset(value_out, 0, sizeof(*value_out));
	found = find(hNode, attr);
	if (found)
		*value_out = found->value;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
					   const CUkernelNodeAttrValue *value)
{
	CUresult result = sim_node_check(hNode, CU_GRAPH_NODE_TYPE_KERNEL, value);
	CUlaunchAttribute *found;
	unsigned int count;

	if (result != CUDA_SUCCESS || !is_known(attr))
		return CUDA_ERROR_INVALID_VALUE;
	found = find(hNode, attr);
	if (found) {
		found->value = *value;
		return CUDA_SUCCESS;
	}
	count = hNode->kernel.attr_count;
	found = realloc(hNode->kernel.attrs, (count + 1) * sizeof(*found));
	if (!found)
		return CUDA_ERROR_OUT_OF_MEMORY;
	found[count] = (CUlaunchAttribute){.id = attr, .value = *value};
	hNode->kernel.attrs = found;
	hNode->kernel.attr_count = count + 1;
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src)
{
	CUresult result = sim_node_check(dst, CU_GRAPH_NODE_TYPE_KERNEL, dst);

	if (result == CUDA_SUCCESS)
		result = sim_node_check(src, CU_GRAPH_NODE_TYPE_KERNEL, src);
	if (result != CUDA_SUCCESS || dst == src)
		return result;
	return sim_node_set_attributes(dst, src->kernel.attrs, src->kernel.attr_count);
}
