// A library with collectives, under the names of NCCL: what is called in a group is enqueued at the
// outermost end of it, by one kernel for each stream.
#include "tests/e2e/libraries/operands.h"
#include "testcases/common.h"

#define SUCCESS	 0
#define NO_SUCH	 1
#define MOST	 8
#define POINTERS (2 * MOST)

struct communicator {
	int rank, ranks;
};

struct work {
	int64_t numbers[12];
	void *pointer[POINTERS];
};

struct queued {
	const void *send;
	void *receive;
	cudaStream_t stream;
};

static thread_local queued queue[MOST];
static thread_local int depth, waiting;
static thread_local bool is_joined; // all of a group runs in its first stream

static __global__ void exchange(work w)
{
	((float *)w.pointer[1])[threadIdx.x] += ((float *)w.pointer[0])[threadIdx.x];
}

// All that is queued for the stream of the first entry.
static int launch_first(void)
{
	cudaStream_t stream = queue[0].stream;
	int used = 0, kept = 0;
	work w = {};

	for (int i = 0; i < waiting; i++) {
		if (queue[i].stream != stream && !is_joined) {
			queue[kept++] = queue[i];
			continue;
		}
		w.pointer[used++] = (void *)queue[i].send;
		w.pointer[used++] = queue[i].receive;
	}
	waiting = kept;
	is_joined = false;
	exchange<<<1, 1, 0, stream>>>(w);
	return cudaGetLastError() ? NO_SUCH : SUCCESS;
}

static int add(const void *send, void *receive, cudaStream_t stream)
{
	if (waiting == MOST)
		return NO_SUCH;
	queue[waiting++] = {send, receive, stream};
	return depth ? SUCCESS : launch_first();
}

int ncclFake(ncclComm_t *communicator, int rank, int ranks)
{
	static struct communicator only;

	only = {rank, ranks};
	*communicator = &only;
	return SUCCESS;
}

int ncclCommCount(ncclComm_t communicator, int *ranks)
{
	*ranks = communicator->ranks;
	return SUCCESS;
}

int ncclCommUserRank(ncclComm_t communicator, int *rank)
{
	*rank = communicator->rank;
	return SUCCESS;
}

int ncclGroupStart(void)
{
	depth++;
	return SUCCESS;
}

int ncclGroupEnd(void)
{
	int status = SUCCESS;

	if (--depth)
		return SUCCESS;
	while (waiting && !status)
		status = launch_first();
	return status;
}

int ncclAllReduce(const void *send, void *receive, size_t count, int type, int operation,
		  ncclComm_t communicator, cudaStream_t stream)
{
	is_joined |= operation == JOINED;
	return add(send, receive, stream);
}

int ncclAllGather(const void *send, void *receive, size_t count, int type, ncclComm_t communicator,
		  cudaStream_t stream)
{
	return add(send, receive, stream);
}

int ncclGather(const void *send, void *receive, size_t count, int type, int root,
	       ncclComm_t communicator, cudaStream_t stream)
{
	return add(send, receive, stream);
}

// The peer is this process, and so is its window.
int ncclPutSignal(const void *send, size_t count, int type, int peer, void *window, size_t offset,
		  int signal, int context, unsigned flags, ncclComm_t communicator,
		  cudaStream_t stream)
{
	return add(send, (char *)window + offset, stream);
}

int ncclBroadcast(const void *send, void *receive, size_t count, int type, int root,
		  ncclComm_t communicator, cudaStream_t stream)
{
	return add(send, receive, stream);
}
