// The part of NIXL's interface that these programs use, with the names that the library exports;
// the functions are those of a stand-in (library.cpp). Head comments as described in ../common.h.
//
// Memory of another process has no address here: transfers to the agent "elsewhere" go nowhere, and
// bring zeros.
#ifndef SC_TESTCASES_NIXL_NIXL_H
#define SC_TESTCASES_NIXL_NIXL_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

enum nixl_mem_t { DRAM_SEG, VRAM_SEG, BLK_SEG, OBJ_SEG, FILE_SEG };
enum nixl_xfer_op_t { NIXL_READ, NIXL_WRITE };
enum nixl_status_t {
	NIXL_IN_PROG = 1,
	NIXL_SUCCESS = 0,
	NIXL_ERR_NOT_POSTED = -1,
	NIXL_ERR_INVALID_PARAM = -2,
	NIXL_ERR_REPOST_ACTIVE = -7
};

class nixlBasicDesc
{
      public:
#ifdef OTHER_LAYOUT
	uint64_t devId;
#endif
	uintptr_t addr;
	size_t len;
#ifndef OTHER_LAYOUT
	uint64_t devId;
#endif

	nixlBasicDesc(const uintptr_t &addr, const size_t &len, const uint64_t &device);
};

// `count` blocks, `stride` bytes from one to the next.
struct nixlStrideDesc : nixlBasicDesc {
	size_t stride, count;

	nixlStrideDesc(uintptr_t addr, size_t len, uint64_t device, size_t stride, size_t count)
	    : nixlBasicDesc(addr, len, device), stride(stride), count(count)
	{
	}
};

template <class T> class nixlDescList
{
	nixl_mem_t type;
	std::vector<T> descs;

      public:
	nixlDescList(const nixl_mem_t &type);
	virtual ~nixlDescList();
	nixl_mem_t getType() const;
	int descCount() const;
	const T &operator[](size_t index) const;
	virtual void addDesc(const T &desc);
};

struct nixlAgentConfig {
	bool has_thread;
};
// What the library sets, by which a program says what a post or a release does.
struct nixlAgentOptionalArgs {
	bool is_small;	 // the transfer is complete when it is posted
	bool is_refused; // it is in flight for so long that a release fails
};
class nixlAgentData;
class nixlDlistH;
class nixlXferReqH;

class nixlAgent
{
	std::unique_ptr<nixlAgentData> data;

	using Blocks = nixlDescList<nixlBasicDesc>;
	using Strides = nixlDescList<nixlStrideDesc>;
	using Options = nixlAgentOptionalArgs;

      public:
	nixlAgent(const std::string &name, const nixlAgentConfig &config);
	~nixlAgent();
	nixl_status_t prepXferDlist(const std::string &agent, const Blocks &list, nixlDlistH *&made,
				    const Options *options = nullptr) const;
	nixl_status_t prepXferDlist(const Blocks &list, nixlDlistH *&made,
				    const Options *options = nullptr) const;
	nixl_status_t prepXferDlist(const std::string &agent, const Strides &list,
				    nixlDlistH *&made, const Options *options = nullptr) const;
	nixl_status_t prepXferDlist(const Strides &list, nixlDlistH *&made,
				    const Options *options = nullptr) const;
	nixl_status_t releasedDlistH(nixlDlistH *list) const;
	nixl_status_t createXferReq(const nixl_xfer_op_t &operation, const Blocks &local,
				    const Blocks &remote, const std::string &agent,
				    nixlXferReqH *&made, const Options *options = nullptr) const;
	nixl_status_t makeXferReq(nixl_xfer_op_t operation, const nixlDlistH &local,
				  std::span<const int> local_numbers, const nixlDlistH &remote,
				  std::span<const int> remote_numbers, nixlXferReqH *&made,
				  const Options *options = nullptr) const;
	nixl_status_t makeXferReq(const nixl_xfer_op_t &operation, const nixlDlistH *local,
				  const std::vector<int> &local_numbers, const nixlDlistH *remote,
				  const std::vector<int> &remote_numbers, nixlXferReqH *&made,
				  const Options *options = nullptr) const;
	nixl_status_t postXferReq(nixlXferReqH *request, const Options *options = nullptr) const;
	nixl_status_t getXferStatus(nixlXferReqH *request) const;
	nixl_status_t releaseXferReq(nixlXferReqH *request) const;
};

#endif
