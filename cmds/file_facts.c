/* File facts: the head of the file, its segments, its sections and its rights. */
#include "cmds/file_facts.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "cmds/program.h"

#define HEAD_BYTES 512 /* of a script: its first line is no longer */

static void read_rights(struct sc_file_facts *f, int fd)
{
	struct stat status;

	if (fstat(fd, &status))
		return;
	f->changes_user = (status.st_mode & S_ISUID && status.st_uid != geteuid()) ||
			  (status.st_mode & S_ISGID && status.st_mode & S_IXGRP &&
			   status.st_gid != getegid()) ||
			  (geteuid() && fgetxattr(fd, "security.capability", NULL, 0) > 0);
}

/* True if a position-independent file says that it is a program. */
static bool says_program(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Dyn entry;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC)
			continue;
		data = elf_getdata(section, NULL);
		for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
			if (entry.d_tag == DT_FLAGS_1)
				return (entry.d_un.d_val & DF_1_PIE) != 0;
	}
	return 0;
}

static bool has_loader(Elf *elf)
{
	size_t count;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &count))
		return 0;
	for (size_t i = 0; i < count && i < INT_MAX; i++)
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_INTERP)
			return 1;
	return 0;
}

static bool has_lines(Elf *elf)
{
	static const char *const wanted[] = {".debug_line", ".zdebug_line", ".gnu_debuglink",
					     ".gnu_debugaltlink"};
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return 0;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;

		for (size_t i = 0; name && i < sizeof(wanted) / sizeof(*wanted); i++)
			if (!strcmp(name, wanted[i]))
				return 1;
	}
	return 0;
}

static void read_elf(struct sc_file_facts *f, Elf *elf)
{
	GElf_Ehdr head;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &head))
		return;
	f->is_elf = 1;
	f->is_32_bit = head.e_ident[EI_CLASS] == ELFCLASS32;
	f->is_foreign = !f->is_32_bit && head.e_machine != EM_X86_64;
	f->is_library = !has_loader(elf) && head.e_type != ET_EXEC && !says_program(elf);
	f->is_static = !has_loader(elf) && !f->is_library;
	f->lacks_lines = !has_lines(elf);
}

/* Copies the word at *text, and goes past it and the blanks after it. */
static void take_word(const char **text, char *out, size_t room)
{
	size_t bytes = strcspn(*text, " \t\r\n");

	snprintf(out, room, "%.*s", (int)bytes, *text);
	*text += bytes;
	*text += strspn(*text, " \t\r");
}

/* "#!/usr/bin/env python3" or "#!/bin/sh". */
static void read_script(struct sc_file_facts *f, const char *head)
{
	const char *at = head + 2 + strspn(head + 2, " \t"), *slash;
	struct sc_program program;
	char word[HEAD_BYTES];

	take_word(&at, word, sizeof(word));
	slash = strrchr(word, '/');
	while (slash && !strcmp(slash, "/env") && *at && *at != '\n') {
		take_word(&at, word, sizeof(word));
		if (*word != '-' && !strchr(word, '='))
			break;
	}
	if (*word && !sc_program_find(&program, word))
		snprintf(f->interpreter, sizeof(f->interpreter), "%s", program.path);
}

void sc_file_facts_read(struct sc_file_facts *f, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char head[HEAD_BYTES + 1] = "";
	ssize_t got;
	Elf *elf;

	*f = (struct sc_file_facts){0};
	if (fd < 0)
		return;
	got = pread(fd, head, HEAD_BYTES, 0);
	read_rights(f, fd);
	if (got > 2 && !memcmp(head, "#!", 2)) {
		f->changes_user = 0; /* of scripts the kernel ignores these rights */
		read_script(f, head);
	} else if (got > 0) {
		elf_version(EV_CURRENT);
		elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
		if (elf)
			read_elf(f, elf);
		elf_end(elf);
	}
	close(fd);
}

const char *sc_file_facts_print(struct sc_buf *out, const struct sc_file_facts *f,
				const char *indent)
{
	const struct {
		bool is_there, stops;
		const char *what, *then;
	} rows[] = {
#define SC_OBSTACLE(fact, stops, what, then) {f->fact, stops, what, then},
#include "cmds/obstacle.def"
#undef SC_OBSTACLE
	};
	const char *next = NULL;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && !next; i++) {
		if (!rows[i].is_there)
			continue;
		sc_buf_printf(out, "%s%s; %s\n", indent, rows[i].what, rows[i].then);
		next = rows[i].stops ? rows[i].then : NULL;
	}
	return next;
}
