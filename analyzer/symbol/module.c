/* One mapped file: its build is checked, its debug file found, its addresses looked up. */
#include "analyzer/symbol/module.h"

#include <dlfcn.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "analyzer/symbol/demangle.h"
#include "analyzer/symbol/stub.h"
#include "analyzer/symbol/table.h"
#include "analyzer/symbol/tail.h"
#include "base/heap.h"

#define DEBUG_ROOT    "/usr/lib/debug"
#define BUILD_ID_MAX  64 /* bytes */
#define BUILD_ID_TEXT (2 * BUILD_ID_MAX + 1)

struct image {
	int fd;	  /* owned */
	Elf *elf; /* owned */
};

struct sc_symbol_module {
	struct image main;
	struct image debug; /* separate debug file; elf is NULL without one */
	struct sc_dwarf *dwarf;
	struct sc_symbol_table symbols;
	struct sc_jumps *jumps; /* owned; NULL: nobody asked for them */
	bool is_names_only;	/* no DWARF is read */
	bool is_other;		/* another build than the recorded one: nothing else is read */
};

/* Frames of the C library end every stack and count as internal, so the names of its symbols are
 * enough. Its separate debug file is packed: to unpack 10 MB of it took longer than the rest of the
 * report of a small program. */
static bool is_c_library(const char *path)
{
	static const char *const names[] = {"libc.so.", "libc-2.", "libpthread.", "libpthread-2."};
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return 1;
	return 0;
}

static void close_image(struct image *image)
{
	if (!image->elf)
		return;
	elf_end(image->elf);
	close(image->fd);
	image->elf = NULL;
}

/* Opens a regular ELF file; nothing else may be opened here, a pipe or a device would block. */
static bool open_image(struct image *image, const char *path)
{
	struct stat status;

	do
		image->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	while (image->fd < 0 && errno == EINTR);
	if (image->fd < 0)
		return 0;
	if (!fstat(image->fd, &status) && S_ISREG(status.st_mode))
		image->elf = elf_begin(image->fd, ELF_C_READ_MMAP, NULL);
	if (image->elf && elf_kind(image->elf) == ELF_K_ELF)
		return 1;
	elf_end(image->elf);
	image->elf = NULL;
	close(image->fd);
	return 0;
}

static bool has_build_id(Elf *elf, const uint8_t *build_id, size_t bytes)
{
	const void *found;
	ssize_t found_bytes = dwelf_elf_gnu_build_id(elf, &found);

	return found_bytes > 0 && (size_t)found_bytes == bytes && !memcmp(found, build_id, bytes);
}

static bool has_symbols(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			return 1;
	return 0;
}

/* Takes a debug file only if it is of the same build. */
static bool try_debug(struct sc_symbol_module *m, const char *path)
{
	const void *build_id;
	ssize_t bytes = dwelf_elf_gnu_build_id(m->main.elf, &build_id);

	if (bytes <= 0 || !open_image(&m->debug, path))
		return 0;
	if (has_build_id(m->debug.elf, build_id, (size_t)bytes)) {
		if (m->is_names_only && has_symbols(m->debug.elf))
			return 1;
		if (!m->is_names_only)
			m->dwarf = sc_dwarf_open(m->debug.elf);
	}
	if (!m->dwarf)
		close_image(&m->debug);
	return m->dwarf != NULL;
}

/* The build id in hex digits, "" if there is none or it is too long to be one. */
static void build_id_text(Elf *elf, char out[BUILD_ID_TEXT])
{
	const uint8_t *id;
	ssize_t bytes = dwelf_elf_gnu_build_id(elf, (const void **)&id);

	*out = '\0';
	for (ssize_t i = 0; bytes <= BUILD_ID_MAX && i < bytes; i++)
		snprintf(out + 2 * i, 3, "%02x", id[i]);
}

/* ROOT/.build-id/xx/yyyy.debug */
static bool find_debug_by_id(struct sc_symbol_module *m, const char *root)
{
	char path[PATH_MAX], name[BUILD_ID_TEXT];

	build_id_text(m->main.elf, name);
	if (strlen(name) < 4)
		return 0;
	return snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", root, name, name + 2) <
		       (int)sizeof(path) &&
	       try_debug(m, path);
}

/* Finds the file that .gnu_debuglink names, in the three places where it may be. */
static bool find_debug_by_link(struct sc_symbol_module *m, const char *main_path, const char *root)
{
	const struct {
		const char *root, *between;
	} places[] = {{"", "/"}, {"", "/.debug/"}, {root, "/"}};
	GElf_Word checksum;
	const char *link = dwelf_elf_gnu_debuglink(m->main.elf, &checksum);
	const char *slash = strrchr(main_path, '/');
	char path[PATH_MAX];

	if (!link || !*link || strchr(link, '/') || !slash)
		return 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		int bytes = snprintf(path, sizeof(path), "%s%.*s%s%s", places[i].root,
				     (int)(slash - main_path), main_path, places[i].between, link);

		if (bytes < (int)sizeof(path) && try_debug(m, path))
			return 1;
	}
	return 0;
}

static void find_debug(struct sc_symbol_module *m, const char *path, const char *root)
{
	const char *const roots[] = {root ? root : DEBUG_ROOT, DEBUG_ROOT};

	for (unsigned i = 0; i < 2; i++)
		if (find_debug_by_id(m, roots[i]) || find_debug_by_link(m, path, roots[i]))
			return;
}

/* elfutils' client is loaded only when it is asked for: nothing else here knows the network. */
static void fetch_debug(struct sc_symbol_module *m)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	void *(*begin)(void);
	int (*find)(void *, const unsigned char *, int, char **);
	const void *build_id;
	ssize_t bytes = dwelf_elf_gnu_build_id(m->main.elf, &build_id);
	char *path = NULL;
	void *client;
	int fd;

	if (!library || bytes <= 0)
		return;
	begin = (void *(*)(void))dlsym(library, "debuginfod_begin");
	find = (int (*)(void *, const unsigned char *, int, char **))dlsym(
		library, "debuginfod_find_debuginfo");
	client = begin && find ? begin() : NULL;
	if (!client)
		return;
	fd = find(client, build_id, (int)bytes, &path);
	if (fd >= 0) {
		close(fd);
		try_debug(m, path);
	}
	free(path);
}

struct sc_symbol_module *sc_module_open(const char *path, const uint8_t *build_id,
					size_t build_id_bytes, const struct sc_debug_places *places)
{
	struct sc_symbol_module *m = sc_heap_xcalloc(1, sizeof(*m));

	errno = 0;
	elf_version(EV_CURRENT);
	if (!open_image(&m->main, path))
		goto out_free;
	if (build_id_bytes && !has_build_id(m->main.elf, build_id, build_id_bytes)) {
		m->is_other = 1;
		return m;
	}
	m->is_names_only = is_c_library(path);
	m->dwarf = m->is_names_only ? NULL : sc_dwarf_open(m->main.elf);
	if (errno == ENOMEM) /* the next files that are tried would hide it */
		goto out_close;
	if (!m->dwarf && !(m->is_names_only && has_symbols(m->main.elf)))
		find_debug(m, path, places->root);
	if (!m->dwarf && !m->debug.elf && !m->is_names_only && places->fetches)
		fetch_debug(m);
	sc_symbol_table_init(&m->symbols, m->debug.elf ? m->debug.elf : m->main.elf);
	return m;

out_close:
	sc_module_close(m);
	errno = ENOMEM;
	return NULL;
out_free:
	free(m);
	return NULL;
}

void sc_module_close(struct sc_symbol_module *m)
{
	if (!m)
		return;
	sc_jumps_free(m->jumps);
	sc_symbol_table_fini(&m->symbols);
	sc_dwarf_close(m->dwarf);
	close_image(&m->debug);
	close_image(&m->main);
	free(m);
}

/* Offset in the file to link-time address, by the segments that are loaded. */
static bool to_address(Elf *elf, uint64_t offset, uint64_t *address)
{
	size_t count;

	if (elf_getphdrnum(elf, &count) || count > INT_MAX)
		return 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		if (offset < header.p_offset || offset - header.p_offset >= header.p_filesz)
			continue;
		*address = offset - header.p_offset + header.p_vaddr;
		return 1;
	}
	return 0;
}

/* Puts the symbol's name where the DWARF has none. */
struct namer {
	sc_place_fn *place;
	void *context;
	const char *symbol;
};

static void name_place(void *context, const struct sc_place *place)
{
	struct namer *namer = context;
	struct sc_place named = *place;

	if (!named.function && !named.is_inlined)
		named.function = namer->symbol;
	namer->place(namer->context, &named);
}

/* Reports the build id that the file has instead of the recorded one. */
static void report_build(const struct sc_symbol_module *m, sc_place_fn *place, void *context)
{
	struct sc_place none = {0};
	char text[BUILD_ID_TEXT];

	build_id_text(m->main.elf, text);
	none.instead = text;
	place(context, &none);
}

static unsigned look_up(struct sc_symbol_module *m, uint64_t address, sc_place_fn *place,
			void *context)
{
	struct namer namer = {place, context, NULL};
	struct sc_place only_name = {0};
	unsigned found;

	namer.symbol = sc_symbol_table_find(&m->symbols, address);
	found = m->dwarf ? sc_dwarf_lookup(m->dwarf, address, name_place, &namer) : 0;
	if (found || !namer.symbol)
		return found;
	only_name.function = namer.symbol;
	place(context, &only_name);
	return 1;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001B3);
	return hash;
}

static void hash_place(void *context, const struct sc_place *place)
{
	uint64_t *hash = context;

	*hash = hash_text(hash_text(*hash, place->function), place->file) ^ place->line;
}

static uint64_t hash_path(struct sc_symbol_module *m, const struct sc_tail_path *path)
{
	uint64_t hash = 0;

	for (unsigned i = 0; i < path->count; i++)
		look_up(m, path->jump[i], hash_place, &hash);
	return hash;
}

/* A launch as far as its frames were seen. */
struct launch {
	char stub[SC_DEMANGLE_MAX];
	bool is_stub; /* the outermost frame is the stub's or the host function's */
};

static void note_launch(void *context, const struct sc_place *place)
{
	struct launch *launch = context;
	char name[SC_DEMANGLE_MAX];

	sc_demangle(place->function ? place->function : "", name, sizeof(name));
	launch->is_stub = sc_stub_is(name) || sc_stub_is_called_by(launch->stub, name);
	if (sc_stub_is(name) && !*launch->stub)
		strcpy(launch->stub, name);
}

static bool is_stub(struct sc_symbol_module *m, uint64_t address)
{
	struct launch launch = {.stub = ""};

	look_up(m, address, note_launch, &launch);
	return launch.is_stub;
}

/* Several paths are as good as one if they show the same lines. */
static void report_tails(struct sc_symbol_module *m, const struct sc_tails *tails,
			 sc_place_fn *place, void *context)
{
	uint64_t hash = tails->count > 1 ? hash_path(m, &tails->path[0]) : 0;

	for (unsigned i = 1; i < tails->count; i++)
		if (hash_path(m, &tails->path[i]) != hash)
			return;
	for (unsigned i = 0; tails->count && i < tails->path[0].count; i++)
		look_up(m, tails->path[0].jump[i], place, context);
}

void sc_symbol_module_look_up(struct sc_symbol_module *m, const struct sc_question *question,
			      sc_place_fn *place, void *context)
{
	struct sc_tails tails;
	uint64_t address, callee;

	if (m->is_other) {
		if (question->asked == SC_ASKED_PLACE)
			report_build(m, place, context);
		return;
	}
	if (question->asked == SC_ASKED_SOURCES) {
		if (m->dwarf)
			sc_dwarf_sources(m->dwarf, place, context);
		return;
	}
	if (!to_address(m->main.elf, question->offset, &address))
		return;
	if (question->asked != SC_ASKED_PLACE && !m->jumps)
		m->jumps = sc_jumps_new(m->main.elf, &m->symbols);
	switch (question->asked) {
	case SC_ASKED_SOURCES: return;
	case SC_ASKED_PLACE: look_up(m, address, place, context); return;
	case SC_ASKED_BETWEEN:
		if (!to_address(m->main.elf, question->callee, &callee))
			return;
		sc_tail_between(&tails, m->jumps, &m->symbols, callee, address + 1,
				is_stub(m, callee));
		break;
	case SC_ASKED_OUT: sc_tail_out(&tails, m->jumps, &m->symbols, address + 1, ""); break;
	case SC_ASKED_OUT_CUDA:
		sc_tail_out(&tails, m->jumps, &m->symbols, address + 1, "cu");
		break;
	case SC_ASKED_INTO:
		if (!is_stub(m, address))
			return;
		sc_tail_into(&tails, m->jumps, &m->symbols, address);
		break;
	}
	report_tails(m, &tails, place, context);
}
