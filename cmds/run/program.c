/* Program: PATH search, and a look at the sections and dependencies of the file. */
#include "cmds/run/program.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name of shared memory that NVIDIA's runtime uses; survives `strip`. In two parts, since this
 * program has not the mark. */
static const char mark_begin[] = "/cudart", mark_rest[] = ".shm.";

static int check_file(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	return access(path, X_OK) ? -errno : 0;
}

/* Puts DIRECTORY/name into out; an empty directory is the working directory. */
static int check_in(char out[PATH_MAX], const char *directory, size_t bytes, const char *name)
{
	int used = snprintf(out, PATH_MAX, "%.*s%s%s", (int)bytes, directory, bytes ? "/" : "./",
			    name);

	return used < PATH_MAX ? check_file(out) : -ENAMETOOLONG;
}

static int find_file(char out[PATH_MAX], const char *name)
{
	const char *path = getenv("PATH");
	int err = -ENOENT;

	if (strchr(name, '/')) {
		if (snprintf(out, PATH_MAX, "%s", name) >= PATH_MAX)
			return -ENAMETOOLONG;
		return check_file(out);
	}
	if (!path)
		path = "/usr/local/bin:/usr/bin:/bin";
	for (;;) {
		size_t bytes = strcspn(path, ":");
		int tried = check_in(out, path, bytes, name);

		if (!tried)
			return 0;
		if (tried == -EACCES)
			err = tried;
		if (!path[bytes])
			return err;
		path += bytes + 1;
	}
}

/* What one file says. */
struct look {
	struct sc_program *program;
	char rpath[PATH_MAX];
	bool has_runpath; /* DT_RUNPATH: DT_RPATH does not count */
};

static void read_entry(struct look *look, const GElf_Dyn *entry, const char *text)
{
	struct sc_program *p = look->program;

	if (entry->d_tag == DT_RUNPATH)
		look->has_runpath = true;
	if (entry->d_tag == DT_RPATH && text)
		snprintf(look->rpath, sizeof(look->rpath), "%s", text);
	if (entry->d_tag != DT_NEEDED || !text ||
	    strncmp(text, "libcudart.so", strlen("libcudart.so")) != 0)
		return;
	p->has_shared_cudart = 1;
	snprintf(p->runtime, sizeof(p->runtime), "%s", text);
}

static void read_dynamic(struct look *look, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Dyn entry;

	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		bool is_text = entry.d_tag == DT_RPATH || entry.d_tag == DT_NEEDED;

		read_entry(look, &entry,
			   is_text ? elf_strptr(elf, header->sh_link, entry.d_un.d_val) : NULL);
	}
}

static bool holds_mark(Elf_Scn *section)
{
	const size_t begin = sizeof(mark_begin) - 1, rest = sizeof(mark_rest) - 1;
	Elf_Data *data = elf_getdata(section, NULL);
	const char *at = data ? data->d_buf : NULL, *end = at ? at + data->d_size : NULL;

	while (at && (at = memmem(at, (size_t)(end - at), mark_begin, begin))) {
		at += begin;
		if ((size_t)(end - at) >= rest && !memcmp(at, mark_rest, rest))
			return true;
	}
	return false;
}

static void read_sections(struct look *look, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (header.sh_type == SHT_DYNAMIC)
			read_dynamic(look, elf, section, &header);
		else if (name && !strcmp(name, ".rodata") && holds_mark(section))
			look->program->has_static_cudart = 1;
	}
}

static void look_into(struct look *look)
{
	int fd = open(look->program->path, O_RDONLY | O_CLOEXEC);
	Elf *elf;

	if (fd < 0) {
		look->program->unread = errno;
		return;
	}
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf)
		look->program->unread = EIO;
	else if (elf_kind(elf) == ELF_K_ELF)
		read_sections(look, elf);
	elf_end(elf);
	close(fd);
}

/* Puts a folder of DT_RPATH, with $ORIGIN replaced, and the name of the runtime into out. */
static bool name_candidate(char out[PATH_MAX], const struct sc_program *p, const char *folder,
			   int bytes)
{
	static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};
	const char *slash = strrchr(p->path, '/');
	int own = slash ? (int)(slash - p->path) : 0;
	const char *start = own ? p->path : ".";

	for (size_t i = 0; i < sizeof(origins) / sizeof(*origins); i++) {
		int skip = (int)strlen(origins[i]);

		if (bytes >= skip && !strncmp(folder, origins[i], (size_t)skip))
			return snprintf(out, PATH_MAX, "%.*s%.*s/%s", own ? own : 1, start,
					bytes - skip, folder + skip, p->runtime) < PATH_MAX;
	}
	return snprintf(out, PATH_MAX, "%.*s/%s", bytes, folder, p->runtime) < PATH_MAX;
}

/* Looks where the loader will: the first file of that name counts, whatever it is. */
static void find_genuine(struct sc_program *p, const char *rpath)
{
	struct sc_program library = {0};
	struct look look = {.program = &library};

	for (const char *at = rpath; *at;) {
		int bytes = (int)strcspn(at, ":");

		if (bytes && name_candidate(library.path, p, at, bytes) &&
		    !access(library.path, R_OK)) {
			look_into(&look);
			if (library.has_static_cudart)
				memcpy(p->genuine, library.path, sizeof(p->genuine));
			return;
		}
		at += bytes + (at[bytes] == ':');
	}
}

int sc_program_find(struct sc_program *program, const char *name)
{
	struct look look = {.program = program};
	int err;

	*program = (struct sc_program){0};
	err = find_file(program->path, name);
	if (err)
		return err;
	look_into(&look);
	program->has_rpath = *look.rpath && !look.has_runpath;
	if (program->has_rpath && program->has_shared_cudart)
		find_genuine(program, look.rpath);
	return 0;
}

static bool ends_with(const char *name, const char *end)
{
	size_t bytes = strlen(name), least = strlen(end);

	return bytes > least && !strcmp(name + bytes - least, end);
}

void sc_program_describe_failure(char *out, size_t bytes, const char *name, int err)
{
	bool is_word = !strchr(name, '/');
	const char *why = is_word && err == -ENOENT ? "it is not in PATH" : strerror(-err);
	struct stat status;

	if (stat(name, &status))
		snprintf(out, bytes, "%s", why);
	else if (S_ISDIR(status.st_mode))
		snprintf(out, bytes, "%s%s is a folder; name the program in it",
			 is_word ? "it is not in PATH; " : "", name);
	else if (ends_with(name, ".py"))
		snprintf(out, bytes, "%s; start a script of Python by its interpreter: python3 %s",
			 why, name);
	else if (is_word && !access(name, X_OK))
		snprintf(out, bytes, "%s; the file in the current folder is ./%s", why, name);
	else
		snprintf(out, bytes, "%s; %s is there, but is not executable", why, name);
}
