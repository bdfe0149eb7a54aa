// A stand-in for PyTorch's libc10_cuda.so: a pool with its probes, and the functions by which it is followed.
#include <cstddef>
#include <cstdint>

#define HIDDEN	    __attribute__((visibility("hidden")))
#define COUNTER(name)                                           \
	extern "C" HIDDEN __attribute__((section(".probes"), used)) \
	volatile uint16_t torch_sdt_semaphore_pytorch_##name = 0
#define PROBE(name, text, ...)                                                                    \
	__asm__ volatile("990:	nop\n"                                                            \
			 "	.pushsection .note.stapsdt,\"?\",\"note\"\n"                       \
			 "	.balign 4\n"                                                       \
			 "	.4byte 992f-991f, 994f-993f, 3\n"                                  \
			 "991:	.asciz \"stapsdt\"\n"                                              \
			 "992:	.balign 4\n"                                                       \
			 "993:	.8byte 990b, 0, torch_sdt_semaphore_pytorch_" #name "\n"           \
			 "	.asciz \"pytorch\"\n"                                              \
			 "	.asciz \"" #name "\"\n"                                            \
			 "	.asciz \"" text "\"\n"                                             \
			 "994:	.balign 4\n"                                                       \
			 "	.popsection\n" ::__VA_ARGS__)

COUNTER(malloc);
COUNTER(free);

namespace c10
{
struct DataPtr {
	void *data;
};

namespace cuda
{
static void *handles[32];

struct CUDAStream {
	int8_t type, device;
	int64_t id;
	void *stream() const;
};

__attribute__((noinline)) void *CUDAStream::stream() const
{
	if (type != 1 || device)
		return nullptr;
	return id & 1 ? handles[id >> 5 & 31] : reinterpret_cast<void *>(id);
}

namespace CUDACachingAllocator
{
namespace Native
{
struct NativeCachingAllocator {
	char *block;
	unsigned recorded;
	virtual DataPtr allocate(size_t size, CUDAStream stream);
	virtual void recordStream(const DataPtr &data, CUDAStream stream);
};

DataPtr NativeCachingAllocator::allocate(size_t size, CUDAStream stream)
{
	DataPtr made = {block};
	volatile int64_t id = stream.id; // an argument in memory

	block += size;
	if (torch_sdt_semaphore_pytorch_malloc)
		PROBE(malloc, "-8@%0 -1@%b1 -8@%2 -8@%3", "r"(made.data), "r"(stream.device),
		      "r"(size), "m"(id));
	return made;
}

void NativeCachingAllocator::recordStream(const DataPtr &, CUDAStream)
{
	recorded++;
}

__attribute__((noinline)) static void local_raw_delete(void *data)
{
	if (torch_sdt_semaphore_pytorch_free)
		PROBE(free, "-8@%0", "r"(data));
}
} // namespace Native
} // namespace CUDACachingAllocator
} // namespace cuda
} // namespace c10

using namespace c10::cuda;
static CUDACachingAllocator::Native::NativeCachingAllocator pool;
static CUDACachingAllocator::Native::NativeCachingAllocator *volatile allocator = &pool;

// By the number of a stream, as PyTorch has it; 0: the default stream.
static CUDAStream stream_of(int number)
{
	return {1, 0, number ? number << 5 | 3 : 0};
}

extern "C" void pool_begin(char *block)
{
	pool.block = block;
}

extern "C" void pool_add_stream(int number, void *handle)
{
	handles[number] = handle;
}

extern "C" void *pool_allocate(size_t size, int stream)
{
	return allocator->allocate(size, stream_of(stream)).data;
}

extern "C" void pool_free(void *data)
{
	CUDACachingAllocator::Native::local_raw_delete(data);
}

// How often any stream was recorded.
extern "C" unsigned pool_record_stream(void *data, int stream)
{
	allocator->recordStream({data}, stream_of(stream));
	return pool.recorded;
}
