/* Where code lives: executable mappings, their files and build ids. */
#include "interposer/core/code_range.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "base/sys.h"

struct sc_code_ranges sc_code_ranges;

/* Libraries of NVIDIA whose calls are their own business (specification 0.4). Named one by one:
 * libcurl, libcups and libnvme begin alike. */
static const char *const library_prefixes[] = {
	"libcublas",	   "libcudnn",	   "libcufft",	 "libcurand",  "libcusolver",
	"libcusparse",	   "libcutensor",  "libcufile",	 "libcudss",   "libcustatevec",
	"libnvrtc",	   "libnvJitLink", "libnvjpeg",	 "libnvinfer", "libnvblas",
	"libnvonnxparser", "libnvcomp",	   "libnvshmem", "libnccl",    "libnvToolsExt",
	"libnpp",
};

static bool begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

enum sc_code_kind sc_code_range_file_kind(const void *address)
{
	Dl_info info;

	return dladdr(address, &info) && info.dli_fname ? sc_code_range_classify(info.dli_fname)
							: SC_CODE_UNKNOWN;
}

enum sc_code_kind sc_code_range_classify(const char *path)
{
	const char *name = file_name(path);

	if (begins(name, "libstreamcheck.so"))
		return SC_CODE_OWN;
	if (begins(name, "libcuda.so") || begins(name, "libcupti.so") ||
	    begins(name, "libnvidia-") || begins(name, "libcheckpoint.so"))
		return SC_CODE_DRIVER;
	if (begins(name, "libcudart.so"))
		return SC_CODE_RUNTIME;
	for (unsigned i = 0; i < sizeof(library_prefixes) / sizeof(library_prefixes[0]); i++) {
		if (begins(name, library_prefixes[i]) && strstr(name, ".so"))
			return SC_CODE_LIBRARY;
	}
	return SC_CODE_PROGRAM;
}

static const struct sc_code_range *find(const struct sc_code_ranges *ranges, uint64_t pc)
{
	/* acquire: pairs with the release in `add` */
	unsigned count = atomic_load_explicit(&ranges->count, memory_order_acquire);

	/* newest first: an address that was unmapped and mapped again belongs to the later file */
	while (count--) {
		const struct sc_code_range *r = &ranges->range[count];

		if (pc - r->start < r->bytes)
			return r;
	}
	return NULL;
}

const struct sc_code_range *sc_code_range_find(uint64_t pc)
{
	return find(&sc_code_ranges, pc);
}

enum sc_code_kind sc_code_range_kind(uint64_t pc)
{
	const struct sc_code_range *r = sc_code_range_find(pc);

	return r ? r->code : SC_CODE_UNKNOWN;
}

/* The GNU build id of a loaded object, or NULL. */
static const uint8_t *build_id(const struct dl_phdr_info *info, uint32_t *bytes)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		const uint8_t *at = (const uint8_t *)info->dlpi_addr + ph->p_vaddr;
		const uint8_t *end = at + ph->p_memsz;

		if (ph->p_type != PT_NOTE)
			continue;
		while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *note = (const void *)at;
			const uint8_t *name = at + sizeof(*note);
			const uint8_t *data = name + ((note->n_namesz + 3) & ~3u);

			if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
			    !memcmp(name, "GNU", 4)) {
				*bytes = note->n_descsz;
				return data;
			}
			at = data + ((note->n_descsz + 3) & ~3u);
		}
	}
	return NULL;
}

static const char *object_path(const struct dl_phdr_info *info, char *buffer, size_t bytes)
{
	ssize_t n;

	if (info->dlpi_name && info->dlpi_name[0])
		return info->dlpi_name;
	n = sc_sys_readlink("/proc/self/exe", buffer, bytes - 1);
	if (n <= 0) { /* no /proc: what it was begun as */
		const char *begun = (const char *)getauxval(AT_EXECFN);

		return begun ? begun : "";
	}
	buffer[n] = '\0';
	return buffer;
}

static const uint8_t *frame_header(const struct dl_phdr_info *info)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			return (const uint8_t *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	}
	return NULL;
}

static void add(struct sc_code_ranges *ranges, struct sc_code_range range)
{
	unsigned count = atomic_load_explicit(&ranges->count, memory_order_relaxed);

	if (count >= SC_RANGES)
		return;
	if (range.code == SC_CODE_OWN) {
		ranges->own_start = range.start;
		ranges->own_bytes = range.bytes;
	}
	ranges->range[count] = range;
	atomic_store_explicit(&ranges->count, count + 1, memory_order_release);
}

static void write_map(const struct dl_phdr_info *info, const ElfW(Phdr) * ph, const char *path)
{
	struct sc_op op = {.kind = SC_OP_MAP,
			   .dst = info->dlpi_addr + ph->p_vaddr,
			   .bytes = ph->p_memsz,
			   .value = ph->p_offset};
	struct sc_attachment parts[2] = {{SC_ATTACH_TEXT, (uint32_t)strlen(path), path}};
	uint32_t id_bytes;
	const uint8_t *id = build_id(info, &id_bytes);

	if (id)
		parts[1] = (struct sc_attachment){SC_ATTACH_BUILD_ID, id_bytes, id};
	sc_put_op(&op, parts, id ? 2 : 1);
}

static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
	struct sc_code_ranges *ranges = context;
	char buffer[1024];
	const char *path;

	(void)size;
	if (info->dlpi_adds + info->dlpi_subs == ranges->generation)
		return 1; /* nothing was loaded or unloaded since the last scan */
	ranges->seen = info->dlpi_adds + info->dlpi_subs;
	path = object_path(info, buffer, sizeof(buffer));
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + ph->p_vaddr;
		enum sc_code_kind code = sc_code_range_classify(path);
		const struct sc_code_range *known;

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		known = find(ranges, start);
		if (known && known->start == start && known->bytes == ph->p_memsz &&
		    known->code == code)
			continue;
		add(ranges, (struct sc_code_range){.start = start,
						   .bytes = ph->p_memsz,
						   .eh_frame_hdr = frame_header(info),
						   .code = code});
		sc_modules_loaded(info, file_name(path));
		write_map(info, ph, path);
	}
	return 0;
}

void sc_code_range_scan(void)
{
	struct sc_code_ranges *ranges = &sc_code_ranges;
	unsigned idle = 0;

	/* One scan at a time; a second thread goes on without waiting (it may hold loader locks).
	 */
	if (!atomic_compare_exchange_strong_explicit(&ranges->scanning, &idle, 1,
						     memory_order_acquire, memory_order_relaxed))
		return;
	sc_self.busy++;
	ranges->seen = ranges->generation;
	dl_iterate_phdr(visit, ranges);
	if (ranges->generation != ranges->seen)
		sc_session_changed(); /* Python may be there now */
	ranges->generation = ranges->seen;
	sc_self.busy--;
	atomic_store_explicit(&ranges->scanning, 0, memory_order_release);
}

const struct sc_module sc_module_code_range = {.begin = sc_code_range_scan,
					       SC_MODULE_STATE(sc_code_ranges)};
