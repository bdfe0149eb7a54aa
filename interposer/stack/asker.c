/* Askers: the frames from CUDA outwards, until one drops what came back or looks at it. */
#include "interposer/stack/asker.h"

#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include "interposer/core/code_range.h"
#include "interposer/core/elf_file.h"
#include "interposer/core/module.h"
#include "interposer/core/thread.h"
#include "interposer/arch/answer.h"
#include "interposer/stack/unwind.h"

#define FRAMES	 40
#define RETURNS	 8 /* frames that hand an answer on */
#define RUNTIMES 4 /* frames of a runtime that is linked into the program */
#define POOLS	 2 /* frames in which an allocator asks */
#define WORDS	 256

/* What a function is, by its symbol. */
enum function { OTHER, RUNTIME, POOL };

static const struct {
	const char *name; /* its beginning */
	enum function is;
} functions[] = {
	{"cudaEventQuery", RUNTIME},
	{"cudaStreamQuery", RUNTIME},
	{"_ZN3c104cuda20CUDACachingAllocator", POOL}, /* PyTorch's */
};

/* What is known of stacks and of return addresses; each word stands for itself. */
static struct {
	_Atomic uint64_t stacks[WORDS];	   /* id of the stack, and who asks in the lowest byte */
	_Atomic uint64_t functions[WORDS]; /* address, and what it is in the lowest byte */
} known;

static bool is_dropped(const uint64_t *frames, unsigned count)
{
	for (unsigned i = 0; i < count && i < RETURNS; i++) {
		const struct sc_code_range *r = sc_code_range_find(frames[i]);
		const uint8_t *start;
		enum sc_answer answer;

		if (!r || r->code != SC_CODE_PROGRAM)
			return false;
		start = (const uint8_t *)r->start;
		answer = sc_answer_at((const uint8_t *)frames[i], start, start + r->bytes);
		if (answer != SC_ANSWER_RETURNED)
			return answer == SC_ANSWER_DROPPED;
	}
	return false;
}

/* ---- functions ---- */

struct wanted {
	uint64_t place;
	enum function is;
};

static bool holds(const struct dl_phdr_info *info, uint64_t place)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_LOAD && place - info->dlpi_addr - ph->p_vaddr < ph->p_memsz)
			return true;
	}
	return false;
}

static int look(struct dl_phdr_info *info, size_t size, void *context)
{
	const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
	const char *name;
	struct wanted *w = context;
	struct sc_elf_file file;

	(void)size;
	if (!holds(info, w->place))
		return 0;
	if (!sc_elf_file_open(&file, path))
		return 1;
	name = sc_elf_file_function(&file, w->place - info->dlpi_addr);
	for (unsigned i = 0; name && i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strncmp(name, functions[i].name, strlen(functions[i].name)))
			w->is = functions[i].is;
	sc_elf_file_close(&file);
	return 1;
}

/* What the function is that a return address is in. */
static enum function function_at(uint64_t back)
{
	_Atomic uint64_t *place = &known.functions[back % WORDS];
	uint64_t word = atomic_load_explicit(place, memory_order_relaxed);
	struct wanted w = {.place = back - 1, .is = OTHER};

	if (word >> 8 == back)
		return word & 0xff;
	dl_iterate_phdr(look, &w);
	atomic_store_explicit(place, back << 8 | w.is, memory_order_relaxed);
	return w.is;
}

/* How many of the first frames there are up to one of such a function; 0: none is. */
static unsigned find(const uint64_t *frames, unsigned count, enum function is)
{
	for (unsigned i = 0; i < count; i++)
		if (function_at(frames[i]) == is)
			return i + 1;
	return 0;
}

/* ---- stacks ---- */

static bool is_cuda(uint64_t frame, bool *is_shared)
{
	enum sc_code_kind kind = sc_code_range_kind(frame);

	*is_shared |= kind == SC_CODE_RUNTIME;
	return kind == SC_CODE_OWN || kind == SC_CODE_DRIVER || kind == SC_CODE_RUNTIME;
}

static enum sc_asker judge(void)
{
	uint64_t all[FRAMES], *frames = all;
	unsigned count = sc_unwind(SC_REGISTERS_HERE(), all, NULL, FRAMES), runtime;
	bool is_shared = false;

	for (; count && is_cuda(*frames, &is_shared); count--)
		frames++;
	if (is_dropped(frames, count))
		return SC_ASKER_UNREAD;
	runtime = is_shared ? 0 : find(frames, count < RUNTIMES ? count : RUNTIMES, RUNTIME);
	frames += runtime;
	count -= runtime;
	if (runtime && is_dropped(frames, count))
		return SC_ASKER_UNREAD;
	return find(frames, count < POOLS ? count : POOLS, POOL) ? SC_ASKER_POOL : SC_ASKER_PROGRAM;
}

enum sc_asker sc_asker_of(uint32_t stack)
{
	_Atomic uint64_t *place = &known.stacks[stack % WORDS];
	uint64_t word = atomic_load_explicit(place, memory_order_relaxed);

	if (!stack)
		return SC_ASKER_PROGRAM;
	if (word >> 8 != stack) {
		sc_self.busy++;
		word = (uint64_t)stack << 8 | judge();
		sc_self.busy--;
		atomic_store_explicit(place, word, memory_order_relaxed);
	}
	return word & 0xff;
}

/* Other code may have been at the addresses of what was loaded. */
static void forget_code(const struct dl_phdr_info *info, const char *name)
{
	(void)info;
	(void)name;
	for (unsigned i = 0; i < WORDS; i++) {
		atomic_store_explicit(&known.stacks[i], 0, memory_order_relaxed);
		atomic_store_explicit(&known.functions[i], 0, memory_order_relaxed);
	}
}

const struct sc_module sc_module_asker = {.loaded = forget_code, SC_MODULE_STATE(known)};
