/* PyTorch's pool: arming the probes of libc10_cuda.so, and what happens at them. */
#include "interposer/probe/torch.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "include/streamcheck/calls.h"
#include "interposer/call/declare.h"
#include "interposer/core/arena.h"
#include "interposer/core/put.h"
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "interposer/core/table.h"
#include "interposer/guard/fault.h"
#include "interposer/probe/breakpoint.h"
#include "interposer/core/elf_file.h"
#include "interposer/arch/sdt.h"
#include "interposer/python/python.h"
#include "interposer/stack/stack.h"

#define LIBRARY "libc10_cuda.so"
#define STREAM	"_ZNK3c104cuda10CUDAStream6streamEv"
#define RECORD_STREAM                                                                           \
	"_ZN3c104cuda20CUDACachingAllocator6Native22NativeCachingAllocator12recordStreamERKNS_" \
	"7DataPtrENS0_10CUDAStreamE"
#define CACHED_DELETE "_ZN3c104cuda20CUDACachingAllocator6NativeL16local_raw_deleteEPv"
#define MOST_PLACES   4 /* of one probe */
#define CUDA	      1 /* c10::DeviceType */

/* c10::cuda::CUDAStream, which is passed in two registers. */
struct torch_stream {
	int8_t type, device;
	uint8_t unused[6];
	int64_t id;
};
_Static_assert(offsetof(struct torch_stream, id) == 8, "as c10::Stream has it");

typedef void *stream_fn(const struct torch_stream *s);
typedef void record_stream_fn(void *allocator, void *const *data, uint64_t device, int64_t id);

struct place {
	struct sc_sdt_probe probe;
	bool is_ordered; /* memory goes back to the cache here, not to the driver */
};

/* Of the process, as the code is: a child of a fork arms the same places again. */
static struct {
	uint64_t bias;
	stream_fn *stream;			   /* NULL: not found */
	_Atomic(record_stream_fn *) record_stream; /* the real one; NULL: not followed */
} torch;

/* Of the session. */
static struct {
	struct sc_table streams;     /* number and device of a stream → the stream */
	struct dl_phdr_info waiting; /* a library that was there before signals came to us */
} state;

/* ---- streams ---- */

/* Numbers that are even are streams of CUDA themselves, 0 is the default stream. Others are asked
 * for once; on a short stack of a signal handler not at all. */
static const void *stream_of(int64_t id, int8_t device, bool may_ask)
{
	struct torch_stream s = {.device = device, .type = CUDA, .id = id};
	uint64_t key = (uint64_t)id << 8 | (uint8_t)(device + 1);
	void **known;

	if (!(id & 1))
		return (const void *)(uintptr_t)id;
	known = sc_table_get(&state.streams, key);
	if (known)
		return *known;
	if (!torch.stream || !may_ask)
		return STREAMCHECK_NO_STREAM;
	known = sc_arena_get(sizeof(*known));
	if (!known)
		return STREAMCHECK_NO_STREAM;
	*known = torch.stream(&s);
	sc_table_put(&state.streams, key, known);
	return *known;
}

/* ---- at the probes ---- */

static bool is_heard(void)
{
	return sc_session_is_live() && !sc_self.busy;
}

/* The lines of Python too, if there is room for that. */
static uint32_t stack_at(const ucontext_t *context, bool is_short)
{
	uint32_t stack = sc_stack_interrupted(context, is_short).id;

	return is_short ? stack : sc_python_stack_interrupted(stack);
}

static void hit_malloc(const void *data, ucontext_t *context)
{
	const struct sc_sdt_argument *a = ((const struct place *)data)->probe.argument;
	bool is_short = sc_fault_is_stack_short();
	struct sc_piece_call call = {.kind = SC_OP_PIECE};

	if (!is_heard())
		return;
	sc_self.busy++;
	call.start = (const void *)(uintptr_t)sc_sdt_value(&a[0], context);
	call.bytes = sc_sdt_value(&a[2], context);
	call.stream = stream_of((int64_t)sc_sdt_value(&a[3], context),
				(int8_t)sc_sdt_value(&a[1], context), !is_short);
	call.stack = stack_at(context, is_short);
	sc_declare_put_piece(&call);
	sc_self.busy--;
}

static void hit_free(const void *data, ucontext_t *context)
{
	const struct sc_sdt_argument *a = ((const struct place *)data)->probe.argument;
	struct sc_piece_call call = {.kind = SC_OP_PIECE_FREE, .stream = STREAMCHECK_NO_STREAM};

	if (!is_heard())
		return;
	sc_self.busy++;
	call.start = (const void *)(uintptr_t)sc_sdt_value(&a[0], context);
	if (((const struct place *)data)->is_ordered &&
	    atomic_load_explicit(&torch.record_stream, memory_order_relaxed))
		call.order = SC_PIECE_IN_OWN_STREAM;
	call.stack = stack_at(context, sc_fault_is_stack_short());
	sc_declare_put_piece(&call);
	sc_self.busy--;
}

/* ---- record_stream ---- */

/* In the place of recordStream() in the allocator's table; no signal handler. */
static void record_stream(void *allocator, void *const *data, uint64_t device, int64_t id)
{
	record_stream_fn *real = atomic_load_explicit(&torch.record_stream, memory_order_acquire);

	if (is_heard() && data && *data)
		sc_declare_piece_use(*data, stream_of(id, (int8_t)(device >> 8), true));
	real(allocator, data, device, id);
}

/* Pages that the loader made read-only when it had relocated them. */
static bool is_read_only(const struct dl_phdr_info *info, uint64_t page)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_GNU_RELRO && page >= (start & ~(SC_PAGE - 1)) &&
		    page + SC_PAGE <= start + p->p_memsz)
			return true;
	}
	return false;
}

static bool write_slot(const struct dl_phdr_info *info, _Atomic uint64_t *slot, uint64_t to)
{
	uint64_t page = (uint64_t)slot & ~(SC_PAGE - 1);
	bool is_closed = is_read_only(info, page);

	if (is_closed && sc_raw_mprotect(page, SC_PAGE, PROT_READ | PROT_WRITE))
		return false;
	atomic_store_explicit(slot, to, memory_order_release);
	if (is_closed)
		sc_raw_mprotect(page, SC_PAGE, PROT_READ);
	return true;
}

/* The table of virtual functions lies among the constants that were relocated. */
static bool follow_record_stream(const struct dl_phdr_info *info, const struct sc_elf_file *file)
{
	const Elf64_Shdr *section = sc_elf_file_section(file, ".data.rel.ro");
	uint64_t symbol = sc_elf_file_symbol(file, RECORD_STREAM).start,
		 real = info->dlpi_addr + symbol;
	bool done = false;

	if (atomic_load_explicit(&torch.record_stream, memory_order_relaxed))
		return true;
	if (!symbol || !section || !torch.stream)
		return false;
	/* release: pairs with the acquire in record_stream, through the slot */
	atomic_store_explicit(&torch.record_stream, (record_stream_fn *)(uintptr_t)real,
			      memory_order_release);
	for (uint64_t at = 0; at + sizeof(real) <= section->sh_size; at += sizeof(real)) {
		_Atomic uint64_t *slot =
			(_Atomic uint64_t *)(uintptr_t)(info->dlpi_addr + section->sh_addr + at);

		if (atomic_load_explicit(slot, memory_order_relaxed) == real)
			done |= write_slot(info, slot, (uint64_t)(uintptr_t)record_stream);
	}
	if (!done)
		atomic_store_explicit(&torch.record_stream, NULL, memory_order_relaxed);
	return done;
}

/* ---- arming ---- */

/* The probes; inlined functions have a place in each caller. */
static struct {
	const char *name;
	unsigned arguments;
	sc_breakpoint_fn *hit;
	struct place place[MOST_PLACES];
	unsigned count;
} probes[] = {{.name = "malloc", .arguments = 4, .hit = hit_malloc},
	      {.name = "free", .arguments = 1, .hit = hit_free}};

#define PROBES (sizeof(probes) / sizeof(*probes))

/* False if one of the probe's places cannot be used: what is missed there would make errors of
 * what is right. */
static bool find_places(const struct sc_elf_file *file, const Elf64_Shdr *section, unsigned probe)
{
	const uint8_t *notes = file->start + section->sh_offset;
	struct sc_elf_symbol cached = sc_elf_file_symbol(file, CACHED_DELETE);
	struct sc_sdt_probe found;

	probes[probe].count = 0;
	for (size_t at = 0;
	     sc_sdt_next(notes, section->sh_size, &at, "pytorch", probes[probe].name, &found);) {
		if (found.count != probes[probe].arguments || probes[probe].count == MOST_PLACES)
			return false;
		probes[probe].place[probes[probe].count++] =
			(struct place){found, found.place - cached.start < cached.bytes};
	}
	return probes[probe].count > 0;
}

static bool find_probes(const struct sc_elf_file *file)
{
	const Elf64_Shdr *notes = sc_elf_file_section(file, ".note.stapsdt");

	for (unsigned i = 0; i < PROBES; i++)
		if (!notes || notes->sh_type != SHT_NOTE || !find_places(file, notes, i))
			return false;
	return true;
}

/* One more listens to the probe. */
static void add_listener(const struct sc_sdt_probe *p)
{
	uint16_t *counter = (uint16_t *)(uintptr_t)(torch.bias + p->semaphore);

	if (p->semaphore)
		__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static bool arm(void)
{
	for (unsigned i = 0; i < PROBES; i++)
		for (unsigned k = 0; k < probes[i].count; k++)
			if (!sc_breakpoint_set(torch.bias + probes[i].place[k].probe.place,
					       probes[i].hit, &probes[i].place[k])) {
				sc_breakpoint_clear_all();
				return false;
			}
	for (unsigned i = 0; i < PROBES; i++)
		add_listener(&probes[i].place[0].probe);
	return true;
}

static bool follow(const struct dl_phdr_info *info)
{
	struct sc_elf_file file;
	uint64_t stream;
	bool done;

	if (!sc_breakpoint_is_possible() || !sc_elf_file_open(&file, info->dlpi_name))
		return false;
	torch.bias = info->dlpi_addr;
	stream = sc_elf_file_symbol(&file, STREAM).start;
	torch.stream = stream ? (stream_fn *)(uintptr_t)(info->dlpi_addr + stream) : NULL;
	done = find_probes(&file);
	if (done)
		sc_put_source("order in which PyTorch's pool takes memory back",
			      follow_record_stream(info, &file));
	done = done && arm();
	sc_elf_file_close(&file);
	return done;
}

static void follow_and_say(const struct dl_phdr_info *info)
{
	sc_put_source("PyTorch's pool", follow(info));
}

/* ---- the session ---- */

static void loaded(const struct dl_phdr_info *info, const char *name)
{
	if (sc_session.options.allocators != SC_ALLOCATORS_FOLLOWED ||
	    strncmp(name, LIBRARY, strlen(LIBRARY)) != 0)
		return;
	if (sc_session_is_live())
		follow_and_say(info);
	else
		state.waiting = *info;
}

static void live(void)
{
	if (state.waiting.dlpi_name)
		follow_and_say(&state.waiting);
	state.waiting.dlpi_name = NULL;
}

const struct sc_module sc_module_torch = {.loaded = loaded,
					  .live = live,
					  .close = sc_breakpoint_clear_all,
					  .forget = sc_breakpoint_clear_all,
					  SC_MODULE_STATE(state)};
