/* File facts: the head of the file, its segments, its sections and its rights. */
#include "cmds/run/file_facts.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "cmds/run/program.h"

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

/* Notes whether the file has lines and names of functions, or names another file that may. */
static void read_names(struct sc_file_facts *f, Elf *elf)
{
	static const char *const wanted[] = {".debug_line", ".zdebug_line", ".gnu_debuglink",
					     ".gnu_debugaltlink"};
	bool has_lines = false, has_functions = false;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		names = 0; /* then no section has a name */
	while ((section = elf_nextscn(elf, section))) {
		bool is_known = gelf_getshdr(section, &header) != NULL;
		const char *name = is_known ? elf_strptr(elf, names, header.sh_name) : NULL;

		has_functions |= is_known && header.sh_type == SHT_SYMTAB;
		for (size_t i = 0; name && i < sizeof(wanted) / sizeof(*wanted); i++)
			has_lines |= !strcmp(name, wanted[i]);
	}
	f->is_stripped = !has_lines && !has_functions;
	f->lacks_lines = !has_lines && has_functions;
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
	read_names(f, elf);
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
	else
		snprintf(f->missing, sizeof(f->missing), "%s", word);
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

void sc_file_facts_read_run(struct sc_file_facts *f, const char *path)
{
	char interpreter[PATH_MAX];

	sc_file_facts_read(f, path);
	for (int depth = 0; *f->interpreter && depth < SC_SCRIPTS_MAX; depth++) {
		memcpy(interpreter, f->interpreter, sizeof(interpreter));
		sc_file_facts_read(f, interpreter);
	}
}

struct row {
	bool is_there, stops;
	const char *what, *then;
};

#define SC_OBSTACLE(fact, stops, what, then) +1
enum {
	ROWS = 0
#include "cmds/run/obstacle.def"
};
#undef SC_OBSTACLE

static void fill_rows(struct row rows[ROWS], const struct sc_file_facts *f)
{
	const struct row all[] = {
#define SC_OBSTACLE(fact, stops, what, then) {f->fact, stops, what, then},
#include "cmds/run/obstacle.def"
#undef SC_OBSTACLE
	};

	memcpy(rows, all, sizeof(all));
}

bool sc_file_facts_stop(const struct sc_file_facts *f, const char **what, const char **then)
{
	struct row rows[ROWS];

	fill_rows(rows, f);
	for (size_t i = 0; i < ROWS; i++) {
		if (!rows[i].is_there || !rows[i].stops)
			continue;
		*what = rows[i].what;
		*then = rows[i].then;
		return true;
	}
	return false;
}

const char *sc_file_facts_print(struct sc_buf *out, const struct sc_file_facts *f,
				const char *indent)
{
	struct row rows[ROWS];
	const char *next = NULL;

	fill_rows(rows, f);
	for (size_t i = 0; i < ROWS && !next; i++) {
		if (!rows[i].is_there)
			continue;
		sc_buf_printf(out, "%s%s; %s\n", indent, rows[i].what, rows[i].then);
		next = rows[i].stops ? rows[i].then : NULL;
	}
	return next;
}
