/* Unread answers: the frames from CUDA outwards, until one drops what came back or looks at it. */
#include "interposer/stack/answer.h"

#include <link.h>
#include <stdatomic.h>
#include "interposer/core/code_range.h"
#include "interposer/core/elf_file.h"
#include "interposer/core/module.h"
#include "interposer/core/thread.h"
#include "interposer/stack/unwind.h"

#define FRAMES	 40
#define RETURNS	 8 /* frames that hand an answer on */
#define RUNTIMES 4 /* frames of a runtime that is linked into the program */

#define STACKS 256

/* What is known of stacks, and of the runtime's innermost frames; each word stands for itself. */
static struct {
	_Atomic uint64_t stacks[STACKS];   /* id of the stack, and the answer in the lowest bit */
	_Atomic uint64_t runtimes[STACKS]; /* address, and how many frames in the lowest byte */
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

/* A function of the object that holds an address. */
struct wanted {
	const char *const *names;
	uint64_t place;
	bool is_found;
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
	struct wanted *w = context;
	struct sc_elf_file file;

	(void)size;
	if (!holds(info, w->place))
		return 0;
	if (!sc_elf_file_open(&file, path))
		return 1;
	for (const char *const *name = w->names; *name; name++) {
		struct sc_elf_symbol s = sc_elf_file_symbol(&file, *name);

		w->is_found |= s.start && w->place - info->dlpi_addr - s.start < s.bytes;
	}
	sc_elf_file_close(&file);
	return 1;
}

static unsigned find_runtime(const uint64_t *frames, unsigned count, const char *const *names)
{
	for (unsigned i = 0; i < count && i < RUNTIMES; i++) {
		struct wanted w = {.names = names, .place = frames[i] - 1};

		dl_iterate_phdr(look, &w);
		if (w.is_found)
			return i + 1;
	}
	return 0;
}

/* How many of the frames are the runtime's, which the program was linked with; 0: not known. */
static unsigned count_runtime(const uint64_t *frames, unsigned count, const char *const *names)
{
	_Atomic uint64_t *place = &known.runtimes[frames[0] % STACKS];
	uint64_t word = atomic_load_explicit(place, memory_order_relaxed);

	if (word >> 8 != frames[0]) {
		word = frames[0] << 8 | find_runtime(frames, count, names);
		atomic_store_explicit(place, word, memory_order_relaxed);
	}
	return word & 0xff;
}

static bool is_unread(const char *const *names)
{
	uint64_t frames[FRAMES];
	unsigned count = sc_unwind(SC_REGISTERS_HERE(), frames, NULL, FRAMES), first = 0, own;
	bool is_shared = false;

	while (first < count) {
		enum sc_code_kind kind = sc_code_range_kind(frames[first]);

		if (kind != SC_CODE_OWN && kind != SC_CODE_DRIVER && kind != SC_CODE_RUNTIME)
			break;
		is_shared |= kind == SC_CODE_RUNTIME;
		first++;
	}
	if (first == count)
		return false;
	if (is_dropped(frames + first, count - first))
		return true;
	own = is_shared ? 0 : count_runtime(frames + first, count - first, names);
	return own && is_dropped(frames + first + own, count - first - own);
}

bool sc_answer_is_unread(uint32_t stack, const char *const *names)
{
	_Atomic uint64_t *place = &known.stacks[stack % STACKS];
	uint64_t word = atomic_load_explicit(place, memory_order_relaxed);

	if (!stack)
		return false;
	if (word >> 1 != stack) {
		sc_self.busy++;
		word = (uint64_t)stack << 1 | is_unread(names);
		sc_self.busy--;
		atomic_store_explicit(place, word, memory_order_relaxed);
	}
	return word & 1;
}

/* Other code may have been at the addresses of what was loaded. */
static void forget_code(const struct dl_phdr_info *info, const char *name)
{
	(void)info;
	(void)name;
	for (unsigned i = 0; i < STACKS; i++) {
		atomic_store_explicit(&known.stacks[i], 0, memory_order_relaxed);
		atomic_store_explicit(&known.runtimes[i], 0, memory_order_relaxed);
	}
}

const struct sc_module sc_module_unread = {.loaded = forget_code, SC_MODULE_STATE(known)};
