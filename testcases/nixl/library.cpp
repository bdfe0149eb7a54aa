// A stand-in for NIXL's library. A transfer is in flight until its status was asked for twice; then
// the host copies, so that device memory has to be usable by it. The real library moves data
// meanwhile, by whatever its plugins use.
#include "testcases/nixl/nixl.h"

#include <cstring>
#include <map>
#include <stdexcept>

class nixlAgentData
{
      public:
	std::string name;
};

class nixlDlistH
{
      public:
	bool is_here; // memory of this process
	nixl_mem_t type;
	std::vector<nixlBasicDesc> blocks;
};

class nixlXferReqH
{
      public:
	nixl_xfer_op_t operation;
	nixlDlistH local, remote;
	int questions; // until it is complete; 0: it is
	bool is_refused, is_posted;
};

// Agents of this process.
static std::map<std::string, int> agents;

nixlBasicDesc::nixlBasicDesc(const uintptr_t &at, const size_t &bytes, const uint64_t &device)
    : addr(at), len(bytes)
{
	devId = device;
}

template <class T> nixlDescList<T>::nixlDescList(const nixl_mem_t &its_type) : type(its_type)
{
}

template <class T> nixlDescList<T>::~nixlDescList()
{
}

template <class T> nixl_mem_t nixlDescList<T>::getType() const
{
	return type;
}

template <class T> int nixlDescList<T>::descCount() const
{
	return (int)descs.size();
}

template <class T> const T &nixlDescList<T>::operator[](size_t index) const
{
	return descs[index];
}

template <class T> void nixlDescList<T>::addDesc(const T &desc)
{
	descs.push_back(desc);
}

template class nixlDescList<nixlBasicDesc>;
template class nixlDescList<nixlStrideDesc>;

nixlAgent::nixlAgent(const std::string &name, const nixlAgentConfig &)
    : data(std::make_unique<nixlAgentData>())
{
	if (name.empty())
		throw std::invalid_argument("an agent has a name");
	data->name = name;
	agents[name]++;
}

nixlAgent::~nixlAgent()
{
	agents[data->name]--;
}

static bool is_here(const std::string &agent)
{
	auto found = agents.find(agent);

	return agent.empty() || (found != agents.end() && found->second > 0);
}

static nixlDlistH list_of(bool is_here, const nixlDescList<nixlBasicDesc> &list)
{
	nixlDlistH made = {is_here, list.getType(), {}};

	for (int i = 0; i < list.descCount(); i++)
		made.blocks.push_back(list[i]);
	return made;
}

nixl_status_t nixlAgent::prepXferDlist(const std::string &agent, const Blocks &list,
				       nixlDlistH *&made, const Options *) const
{
	made = new nixlDlistH(list_of(is_here(agent), list));
	return NIXL_SUCCESS;
}

nixl_status_t nixlAgent::prepXferDlist(const Blocks &list, nixlDlistH *&made,
				       const Options *options) const
{
	return prepXferDlist(std::string(), list, made, options);
}

nixl_status_t nixlAgent::prepXferDlist(const std::string &agent, const Strides &list,
				       nixlDlistH *&made, const Options *options) const
{
	Blocks blocks(list.getType());

	for (int i = 0; i < list.descCount(); i++)
		for (size_t k = 0; k < list[i].count; k++)
			blocks.addDesc(
				{list[i].addr + k * list[i].stride, list[i].len, list[i].devId});
	return prepXferDlist(agent, blocks, made, options);
}

nixl_status_t nixlAgent::prepXferDlist(const Strides &list, nixlDlistH *&made,
				       const Options *options) const
{
	return prepXferDlist(std::string(), list, made, options);
}

nixl_status_t nixlAgent::releasedDlistH(nixlDlistH *list) const
{
	delete list;
	return NIXL_SUCCESS;
}

nixl_status_t nixlAgent::createXferReq(const nixl_xfer_op_t &operation, const Blocks &local,
				       const Blocks &remote, const std::string &agent,
				       nixlXferReqH *&made, const Options *) const
{
	if (!local.descCount())
		throw std::invalid_argument("a transfer has descriptors");
	if (local.descCount() != remote.descCount())
		return NIXL_ERR_INVALID_PARAM;
	made = new nixlXferReqH{
		operation, list_of(true, local), list_of(is_here(agent), remote), 0, false, false};
	return NIXL_SUCCESS;
}

nixl_status_t nixlAgent::makeXferReq(nixl_xfer_op_t operation, const nixlDlistH &local,
				     std::span<const int> local_numbers, const nixlDlistH &remote,
				     std::span<const int> remote_numbers, nixlXferReqH *&made,
				     const Options *) const
{
	auto *r = new nixlXferReqH{
		operation, {true, local.type, {}}, {remote.is_here, remote.type, {}}, 0, false,
		false};

	for (int i : local_numbers)
		r->local.blocks.push_back(local.blocks.at((size_t)i));
	for (int i : remote_numbers)
		r->remote.blocks.push_back(remote.blocks.at((size_t)i));
	made = r;
	return NIXL_SUCCESS;
}

nixl_status_t nixlAgent::makeXferReq(const nixl_xfer_op_t &operation, const nixlDlistH *local,
				     const std::vector<int> &local_numbers,
				     const nixlDlistH *remote,
				     const std::vector<int> &remote_numbers, nixlXferReqH *&made,
				     const Options *options) const
{
	return makeXferReq(operation, *local, local_numbers, *remote, remote_numbers, made,
			   options);
}

static void *memory_of(const nixlDlistH &list, size_t i)
{
	bool is_memory = list.type == DRAM_SEG || list.type == VRAM_SEG;

	return list.is_here && is_memory ? (void *)list.blocks[i].addr : nullptr;
}

static void move(const nixlXferReqH &r)
{
	for (size_t i = 0; i < r.local.blocks.size(); i++) {
		void *local = memory_of(r.local, i), *remote = memory_of(r.remote, i);
		void *to = r.operation == NIXL_READ ? local : remote;
		const void *from = r.operation == NIXL_READ ? remote : local;

		if (to && from)
			memcpy(to, from, r.local.blocks[i].len);
		else if (to)
			memset(to, 0, r.local.blocks[i].len);
	}
}

nixl_status_t nixlAgent::postXferReq(nixlXferReqH *request, const Options *options) const
{
	if (request->questions)
		return NIXL_ERR_REPOST_ACTIVE;
	request->is_posted = true;
	request->questions = options && options->is_small ? 0 : 2;
	request->is_refused = options && options->is_refused;
	if (request->questions)
		return NIXL_IN_PROG;
	move(*request);
	return NIXL_SUCCESS;
}

nixl_status_t nixlAgent::getXferStatus(nixlXferReqH *request) const
{
	if (!request->is_posted)
		return NIXL_ERR_NOT_POSTED;
	if (!request->questions)
		return NIXL_SUCCESS;
	if (--request->questions)
		return NIXL_IN_PROG;
	move(*request);
	return NIXL_SUCCESS;
}

nixl_status_t nixlAgent::releaseXferReq(nixlXferReqH *request) const
{
	if (request->questions && request->is_refused)
		return NIXL_ERR_REPOST_ACTIVE;
	delete request;
	return NIXL_SUCCESS;
}
