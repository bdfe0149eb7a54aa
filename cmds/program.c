/* Program: PATH search, and a look at the sections and dependencies of the file. */
#include "cmds/program.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name of shared memory that NVIDIA's runtime uses; survives `strip`. */
#define STATIC_MARK "/cudart.shm."

static int check_file(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EACCES;
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

static void read_dynamic(struct sc_program *p, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Dyn entry;

	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		const char *name;

		if (entry.d_tag == DT_RPATH)
			p->has_rpath = 1;
		if (entry.d_tag != DT_NEEDED)
			continue;
		name = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
		if (name && !strncmp(name, "libcudart.so", strlen("libcudart.so")))
			p->has_shared_cudart = 1;
	}
}

static bool holds_mark(Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);

	return data && data->d_buf &&
	       memmem(data->d_buf, data->d_size, STATIC_MARK, strlen(STATIC_MARK));
}

static void read_sections(struct sc_program *p, Elf *elf)
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
			read_dynamic(p, elf, section, &header);
		else if (name && !strcmp(name, ".rodata") && holds_mark(section))
			p->has_static_cudart = 1;
	}
}

static void look_into(struct sc_program *p)
{
	int fd = open(p->path, O_RDONLY | O_CLOEXEC);
	Elf *elf;

	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		read_sections(p, elf);
	elf_end(elf);
	close(fd);
}

int sc_program_find(struct sc_program *program, const char *name)
{
	int err;

	*program = (struct sc_program){0};
	err = find_file(program->path, name);
	if (!err)
		look_into(program);
	return err;
}
