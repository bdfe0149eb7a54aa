/* The notes of loaded files, in search of one that Go's linker leaves. */
#include "interposer/libc/go_runtime.h"
#include "interposer/guard/guard.h"
#include "interposer/core/session.h"
#include "interposer/core/message.h"
#include "interposer/core/module.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

#define GO_BUILD_ID 4 /* type of a note of owner "Go" */

static size_t padded(size_t bytes)
{
	return (bytes + 3) & ~(size_t)3;
}

/* The file's own sizes are checked: a damaged one runs too. */
static bool has_go_note(const char *at, size_t bytes)
{
	while (bytes >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)at;
		size_t size = sizeof(*note) + padded(note->n_namesz) + padded(note->n_descsz);

		if (size < note->n_namesz || size < note->n_descsz || size > bytes)
			return false;
		if (note->n_type == GO_BUILD_ID && note->n_namesz == sizeof("Go") + 1 &&
		    !memcmp(note + 1, "Go\0", sizeof("Go") + 1))
			return true;
		at += size;
		bytes -= size;
	}
	return false;
}

bool sc_go_runtime_is_in(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_NOTE &&
		    has_go_note((const char *)(info->dlpi_addr + p->p_vaddr), p->p_memsz))
			return true;
	}
	return false;
}

/* The program itself comes first. */
static int find(struct dl_phdr_info *info, size_t size, void *found)
{
	(void)size;
	*(bool *)found = sc_go_runtime_is_in(info);
	return 1;
}

bool sc_go_runtime_is_in_program(void)
{
	bool found = false;

	dl_iterate_phdr(find, &found);
	return found;
}

/* ---- the module ---- */

/* A file that hands memory to the kernel past every wrapper. */
static void check(const struct dl_phdr_info *info, const char *name)
{
	uint64_t mode = sc_session.options.guard;

	if (!strncmp(name, "liburing.so", strlen("liburing.so")))
		sc_guard_stand_down("page guard: the program uses io_uring");
	if ((mode == SC_GUARD_FULL || mode == SC_GUARD_SPARSE) && sc_go_runtime_is_in(info))
		sc_guard_stand_down("page guard: Go's runtime makes system calls of its own "
				    "(guard=always keeps it)");
}

static void begin(void)
{
	if (!sc_session.collected && sc_session.options.analyze && sc_go_runtime_is_in_program())
		sc_message("a Go program ends without the C library's exit(): check it with "
			   "`streamcheck run`, or afterwards with `streamcheck analyze %s`",
			   sc_session.trace_path);
}

const struct sc_module sc_module_go_runtime = {.begin = begin, .loaded = check};
