// A library under NCCL's name. Ranks meet in a file that all of them map: a communicator has a
// place in it by its name, with counts of what each rank has begun. The nth collective of a rank is
// over when all ranks have begun n, a send when its receive has begun, and the other way round:
// host functions in the stream count and wait, but those of who only gives a little do not wait.
// All that a group has in one stream begins at once. Ranks are connected by their first collective,
// or message, in a communicator: the host waits until the others have come to theirs. Of
// communicators of one process, whose streams may run one after the other, what is enqueued counts
// as begun, and they are connected.
#include "testcases/ranks/nccl/library/nccl.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#define RANKS_MOST 4
#define PLACES	   256
#define CALLS_MOST 16
#define WORDS	   32 /* bytes */

// A communicator, for all processes.
struct place {
	atomic_ullong name; // 0: free
	atomic_uint calls[RANKS_MOST], host_calls[RANKS_MOST];
	atomic_uint sent[RANKS_MOST][RANKS_MOST], received[RANKS_MOST][RANKS_MOST];
	atomic_bool is_ready[RANKS_MOST]; // to be connected with all
	atomic_bool is_sending[RANKS_MOST][RANKS_MOST], is_receiving[RANKS_MOST][RANKS_MOST];
};

struct ncclComm {
	struct place *place;
	unsigned long long name;
	unsigned splits, shrinks;
	unsigned enqueued, sent[RANKS_MOST], received[RANKS_MOST]; // by this rank
	int rank, ranks;
	bool is_together; // with the others in this process
	atomic_bool is_aborted;
	cudaStream_t own; // comes after all that was enqueued
	cudaEvent_t after;
};

// What a host function counts, and waits for.
struct condition {
	struct ncclComm *comm;
	atomic_uint *own;
	const atomic_uint *others; // so many counts
	unsigned count, least;
	bool is_buffered;	// it is over without the others
	struct condition *next; // that begins with it
};

struct call {
	struct condition condition;
	atomic_bool *ready;		 // set by this rank before it is connected
	atomic_bool *others[RANKS_MOST]; // who are waited for then
	const void *from;
	void *to;
	size_t bytes;
	cudaStream_t stream;
};

static _Thread_local struct call waiting[CALLS_MOST];
static _Thread_local unsigned depth, calls;

static struct place *place_of(unsigned long long name)
{
	static struct place *places;
	const char *path = getenv("RANKS_FILE");
	int file;

	if (!places) {
		file = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
		if (path && (file < 0 || ftruncate(file, PLACES * (off_t)sizeof(*places))))
			abort();
		places = mmap(NULL, PLACES * sizeof(*places), PROT_READ | PROT_WRITE,
			      file < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, file, 0);
		if (places == MAP_FAILED)
			abort();
	}
	for (unsigned i = 0; i < PLACES; i++) {
		unsigned long long expected = 0;

		if (atomic_compare_exchange_strong(&places[i].name, &expected, name) ||
		    expected == name)
			return &places[i];
	}
	abort();
}

static bool is_met(const struct condition *c)
{
	for (unsigned i = 0; i < c->count; i++)
		if (atomic_load(&c->others[i]) < c->least)
			return false;
	return true;
}

static void await(void *data)
{
	for (struct condition *c = data; c; c = c->next)
		if (!c->comm->is_together)
			atomic_fetch_add(c->own, 1);
	for (struct condition *c = data, *next; c; c = next) {
		while (!c->is_buffered && !is_met(c) && !atomic_load(&c->comm->is_aborted))
			usleep(1000);
		next = c->next;
		free(c);
	}
}

// NCCL tells the device where things are before any operation: some words, in a stream of its own.
static void set_up(struct ncclComm *c)
{
	void *words;

	if (cudaMalloc(&words, WORDS) || cudaMemsetAsync(words, 0, WORDS, c->own) ||
	    cudaMemcpyAsync(words, &c->name, sizeof(c->name), cudaMemcpyHostToDevice, c->own) ||
	    cudaStreamSynchronize(c->own))
		abort();
}

static struct ncclComm *make(unsigned long long name, int rank, int ranks)
{
	struct ncclComm *c = calloc(1, sizeof(*c));

	if (!c || rank < 0 || ranks > RANKS_MOST)
		abort();
	c->name = name;
	c->place = place_of(name);
	c->rank = rank;
	c->ranks = ranks;
	if (cudaStreamCreateWithFlags(&c->own, cudaStreamNonBlocking) ||
	    cudaEventCreateWithFlags(&c->after, cudaEventDisableTiming))
		abort();
	set_up(c);
	return c;
}

static void come_after(struct ncclComm *c, cudaStream_t stream)
{
	enum cudaStreamCaptureStatus status;

	if (c->is_together || cudaStreamIsCapturing(stream, &status) ||
	    status != cudaStreamCaptureStatusNone)
		return;
	if (cudaEventRecord(c->after, stream) || cudaStreamWaitEvent(c->own, c->after, 0))
		abort();
}

// All ranks make this call, and wait for each other.
static void meet_in_host(struct ncclComm *c)
{
	unsigned least = atomic_fetch_add(&c->place->host_calls[c->rank], 1) + 1;

	for (int i = 0; i < c->ranks; i++)
		while (atomic_load(&c->place->host_calls[i]) < least)
			usleep(1000);
}

// ---- communicators ----

static unsigned long long name_of(const ncclUniqueId *id)
{
	unsigned long long name;

	memcpy(&name, id->internal, sizeof(name));
	return name;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
	memset(id, 0, sizeof(*id));
	return getrandom(id->internal, 16, 0) == 16 ? ncclSuccess : ncclSystemError;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank,
				    void *settings)
{
	(void)settings;
	*comm = make(name_of(&id), rank, ranks);
	if (!depth)
		meet_in_host(*comm);
	return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank)
{
	return ncclCommInitRankConfig(comm, ranks, id, rank, NULL);
}

ncclResult_t ncclCommInitRankScalable(ncclComm_t *comm, int ranks, int rank, int count,
				      ncclUniqueId *ids, void *settings)
{
	return ncclCommInitRankConfig(comm, ranks, ids[count - 1], rank, settings);
}

ncclResult_t ncclCommInitAll(ncclComm_t *comms, int count, const int *devices)
{
	ncclUniqueId id;

	(void)devices;
	ncclGetUniqueId(&id);
	for (int i = 0; i < count; i++) {
		comms[i] = make(name_of(&id), i, count);
		comms[i]->is_together = true;
	}
	return ncclSuccess;
}

// Ranks of a color in their order. What this program needs: colors are ranks modulo something.
ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *made, void *settings)
{
	int colors = key, rank = 0, ranks = 0;

	(void)settings;
	meet_in_host(comm);
	comm->splits++;
	*made = NULL;
	for (int i = 0; color >= 0 && i < comm->ranks; i++) {
		rank += i % colors == color && i < comm->rank;
		ranks += i % colors == color;
	}
	if (color >= 0)
		*made = make(comm->name * 31 + comm->splits * 8 + (unsigned)color + 1, rank, ranks);
	return ncclSuccess;
}

ncclResult_t ncclCommShrink(ncclComm_t comm, int *without, int count, ncclComm_t *made,
			    void *settings, int flags)
{
	int rank = comm->rank;

	(void)settings, (void)flags;
	for (int i = 0; i < count; i++)
		rank -= without[i] < comm->rank;
	*made = make(comm->name * 37 + ++comm->shrinks, rank, comm->ranks - count);
	return ncclSuccess;
}

ncclResult_t ncclCommCount(ncclComm_t comm, int *count)
{
	*count = comm->ranks;
	return ncclSuccess;
}

ncclResult_t ncclCommUserRank(ncclComm_t comm, int *rank)
{
	*rank = comm->rank;
	return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
	(void)comm;
	return ncclSuccess;
}

// Host functions may still look at it.
ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
	if (cudaStreamSynchronize(comm->own) || cudaStreamDestroy(comm->own) ||
	    cudaEventDestroy(comm->after))
		return ncclUnhandledCudaError;
	return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm)
{
	atomic_store(&comm->is_aborted, true);
	return ncclSuccess;
}

// ---- operations ----

// Those of the calls that are in this stream begin at once.
static struct condition *conditions_of(const struct call *list, unsigned count, cudaStream_t stream)
{
	struct condition *first = NULL, **end = &first;

	for (unsigned i = 0; i < count; i++) {
		if (list[i].stream != stream)
			continue;
		*end = malloc(sizeof(**end));
		if (!*end)
			abort();
		**end = list[i].condition;
		end = &(*end)->next;
	}
	return first;
}

static bool is_first_of_stream(const struct call *list, unsigned at)
{
	unsigned i = 0;

	while (list[i].stream != list[at].stream)
		i++;
	return i == at;
}

static void connect_ranks(const struct call *list, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		atomic_store(list[i].ready, true);
	for (unsigned i = 0; i < count; i++)
		for (unsigned k = 0; k < RANKS_MOST && !list[i].condition.comm->is_together; k++)
			while (list[i].others[k] && !atomic_load(list[i].others[k]) &&
			       !atomic_load(&list[i].condition.comm->is_aborted))
				usleep(1000);
}

static ncclResult_t enqueue(const struct call *list, unsigned count)
{
	connect_ranks(list, count);
	for (unsigned i = 0; i < count; i++)
		if (is_first_of_stream(list, i) &&
		    cudaLaunchHostFunc(list[i].stream, await,
				       conditions_of(list, count, list[i].stream)))
			return ncclUnhandledCudaError;
	for (unsigned i = 0; i < count; i++) {
		const struct call *c = &list[i];

		if (c->from && c->to && c->from != c->to &&
		    cudaMemcpyAsync(c->to, c->from, c->bytes, cudaMemcpyDeviceToDevice, c->stream))
			return ncclUnhandledCudaError;
	}
	for (unsigned i = 0; i < count; i++)
		come_after(list[i].condition.comm, list[i].stream);
	return ncclSuccess;
}

// It counts for the others, the nth of this rank, and waits until they have counted as many.
static void arrive(struct call *c, atomic_uint *own, unsigned *enqueued, const atomic_uint *others,
		   unsigned count)
{
	c->condition.own = own;
	c->condition.others = others;
	c->condition.count = count;
	c->condition.least = ++*enqueued;
	if (c->condition.comm->is_together)
		atomic_fetch_add(own, 1);
}

static ncclResult_t add(const struct call *c)
{
	if (!depth)
		return enqueue(c, 1);
	if (calls == CALLS_MOST)
		return ncclInternalError;
	waiting[calls++] = *c;
	return ncclSuccess;
}

ncclResult_t ncclGroupStart(void)
{
	depth++;
	return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void)
{
	ncclResult_t status;

	if (--depth)
		return ncclSuccess;
	status = enqueue(waiting, calls);
	calls = 0;
	return status;
}

static size_t bytes_of(size_t count, ncclDataType_t type)
{
	return count * (type == ncclFloat64 ? 8 : 4);
}

static ncclResult_t collective(struct call c, struct ncclComm *comm)
{
	if (!c.bytes)
		return ncclSuccess;
	c.condition.comm = comm;
	c.ready = &comm->place->is_ready[comm->rank];
	for (int i = 0; i < comm->ranks; i++)
		c.others[i] = &comm->place->is_ready[i];
	arrive(&c, &comm->place->calls[comm->rank], &comm->enqueued, comm->place->calls,
	       (unsigned)comm->ranks);
	return add(&c);
}

ncclResult_t ncclAllReduce(const void *from, void *to, size_t count, ncclDataType_t type,
			   ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream)
{
	(void)operation;
	return collective(
		(struct call){
			.from = from, .to = to, .bytes = bytes_of(count, type), .stream = stream},
		comm);
}

ncclResult_t ncclReduceScatter(const void *from, void *to, size_t count, ncclDataType_t type,
			       ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream)
{
	return ncclAllReduce(from, to, count, type, operation, comm, stream);
}

ncclResult_t ncclAllGather(const void *from, void *to, size_t count, ncclDataType_t type,
			   ncclComm_t comm, cudaStream_t stream)
{
	return ncclAllReduce(from, to, count, type, ncclSum, comm, stream);
}

ncclResult_t ncclBroadcast(const void *from, void *to, size_t count, ncclDataType_t type, int root,
			   ncclComm_t comm, cudaStream_t stream)
{
	return collective((struct call){.from = from,
					.to = to,
					.bytes = bytes_of(count, type),
					.stream = stream,
					.condition.is_buffered = comm->rank == root},
			  comm);
}

ncclResult_t ncclBcast(void *data, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
		       cudaStream_t stream)
{
	return ncclBroadcast(data, data, count, type, root, comm, stream);
}

ncclResult_t ncclSend(const void *from, size_t count, ncclDataType_t type, int peer,
		      ncclComm_t comm, cudaStream_t stream)
{
	struct call c = {.condition.comm = comm, .from = from, .bytes = bytes_of(count, type)};

	c.stream = stream;
	c.condition.is_buffered = count <= SMALL;
	c.ready = &comm->place->is_sending[comm->rank][peer];
	c.others[0] = &comm->place->is_receiving[comm->rank][peer];
	arrive(&c, &comm->place->sent[comm->rank][peer], &comm->sent[peer],
	       &comm->place->received[comm->rank][peer], 1);
	return add(&c);
}

ncclResult_t ncclRecv(void *to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
		      cudaStream_t stream)
{
	struct call c = {.condition.comm = comm, .to = to, .bytes = bytes_of(count, type)};

	c.stream = stream;
	c.ready = &comm->place->is_receiving[peer][comm->rank];
	c.others[0] = &comm->place->is_sending[peer][comm->rank];
	arrive(&c, &comm->place->received[peer][comm->rank], &comm->received[peer],
	       &comm->place->sent[peer][comm->rank], 1);
	return add(&c);
}
