/* SDT: notes, the grammar of their arguments, and the values of these. */
#include "interposer/arch/sdt.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define STAPSDT 3 /* type of the note */

/* ---- arguments ---- */

/* A register's names by size: 8, 4, 2, 1 bytes; the ninth to sixteenth are %r8, %r8d, %r8w, %r8b.
 */
static const struct {
	const char *names[5]; /* the last one is its second byte */
	uint8_t gregister;
} registers[] = {
	{{"rax", "eax", "ax", "al", "ah"}, REG_RAX},
	{{"rbx", "ebx", "bx", "bl", "bh"}, REG_RBX},
	{{"rcx", "ecx", "cx", "cl", "ch"}, REG_RCX},
	{{"rdx", "edx", "dx", "dl", "dh"}, REG_RDX},
	{{"rsi", "esi", "si", "sil", ""}, REG_RSI},
	{{"rdi", "edi", "di", "dil", ""}, REG_RDI},
	{{"rbp", "ebp", "bp", "bpl", ""}, REG_RBP},
	{{"rsp", "esp", "sp", "spl", ""}, REG_RSP},
	{{"r8", "r8d", "r8w", "r8b", ""}, REG_R8},
	{{"r9", "r9d", "r9w", "r9b", ""}, REG_R9},
	{{"r10", "r10d", "r10w", "r10b", ""}, REG_R10},
	{{"r11", "r11d", "r11w", "r11b", ""}, REG_R11},
	{{"r12", "r12d", "r12w", "r12b", ""}, REG_R12},
	{{"r13", "r13d", "r13w", "r13b", ""}, REG_R13},
	{{"r14", "r14d", "r14w", "r14b", ""}, REG_R14},
	{{"r15", "r15d", "r15w", "r15b", ""}, REG_R15},
};

/* Takes %name; false if there is none. */
static bool take_register(const char **text, struct sc_sdt_argument *a)
{
	size_t bytes;

	if (**text != '%')
		return false;
	bytes = strcspn(++*text, " )");
	for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++)
		for (unsigned k = 0; k < 5; k++) {
			const char *name = registers[i].names[k];

			if (!bytes || strlen(name) != bytes || memcmp(name, *text, bytes) != 0)
				continue;
			a->gregister = registers[i].gregister;
			a->high = k == 4;
			*text += bytes;
			return true;
		}
	return false;
}

static bool take_number(const char **text, int64_t *number)
{
	char *end;

	*number = strtoll(*text, &end, 0);
	if (end == *text)
		return false;
	*text = end;
	return true;
}

/* $5, %rax, -8(%rbp) or (%rax). */
static bool take_operand(const char **text, struct sc_sdt_argument *a)
{
	if (**text == '$') {
		a->kind = SC_SDT_NUMBER;
		++*text;
		return take_number(text, &a->number);
	}
	a->kind = SC_SDT_REGISTER;
	if (**text == '%')
		return take_register(text, a);
	a->kind = SC_SDT_MEMORY;
	if (**text != '(' && !take_number(text, &a->number))
		return false;
	if (*(*text)++ != '(' || !take_register(text, a) || a->high)
		return false;
	return *(*text)++ == ')';
}

static bool take_argument(const char **text, struct sc_sdt_argument *a)
{
	int64_t bytes;

	*a = (struct sc_sdt_argument){0};
	if (!take_number(text, &bytes) || *(*text)++ != '@')
		return false;
	a->bytes = (int8_t)bytes;
	return (bytes == a->bytes &&
		(labs(bytes) == 1 || labs(bytes) == 2 || labs(bytes) == 4 || labs(bytes) == 8)) &&
	       take_operand(text, a) && (!**text || **text == ' ');
}

unsigned sc_sdt_parse(const char *text, struct sc_sdt_argument out[SC_SDT_ARGUMENTS])
{
	unsigned count = 0;

	while (*text) {
		if (count == SC_SDT_ARGUMENTS || !take_argument(&text, &out[count++]))
			return 0;
		text += strspn(text, " ");
	}
	return count;
}

/* As wide as the argument, in two's complement. */
static uint64_t extend(uint64_t value, int bytes)
{
	unsigned shift = 64 - 8 * (unsigned)abs(bytes);

	value <<= shift;
	return bytes < 0 ? (uint64_t)((int64_t)value >> shift) : value >> shift;
}

uint64_t sc_sdt_value(const struct sc_sdt_argument *a, const ucontext_t *context)
{
	uint64_t base = (uint64_t)context->uc_mcontext.gregs[a->gregister], value = 0;

	switch ((enum sc_sdt_kind)a->kind) {
	case SC_SDT_NUMBER: value = (uint64_t)a->number; break;
	case SC_SDT_REGISTER: value = a->high ? base >> 8 : base; break;
	case SC_SDT_MEMORY:
		memcpy(&value, (const void *)(uintptr_t)(base + (uint64_t)a->number),
		       (size_t)abs(a->bytes));
		break;
	}
	return extend(value, a->bytes);
}

/* ---- notes ---- */

static size_t padded(size_t bytes)
{
	return (bytes + 3) & ~(size_t)3;
}

/* Three addresses and three texts. */
static bool read_note(const uint8_t *data, size_t bytes, const char *provider, const char *name,
		      struct sc_sdt_probe *out)
{
	uint64_t addresses[3]; /* of the nop, of a section that prelink would move, of the semaphore
				*/
	const char *text = (const char *)data + sizeof(addresses);
	size_t heads = strlen(provider) + strlen(name) + 2;

	if (bytes < sizeof(addresses) + heads + 1 || data[bytes - 1])
		return false;
	memcpy(addresses, data, sizeof(addresses));
	if (strcmp(text, provider) != 0 || strcmp(text + strlen(provider) + 1, name) != 0)
		return false;
	out->place = addresses[0];
	out->semaphore = addresses[2];
	out->count = sc_sdt_parse(text + heads, out->argument);
	return true;
}

bool sc_sdt_next(const uint8_t *notes, size_t bytes, size_t *at, const char *provider,
		 const char *name, struct sc_sdt_probe *out)
{
	while (bytes - *at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr head;
		const uint8_t *owner = notes + *at + sizeof(head);
		size_t room = bytes - *at - sizeof(head), size;

		memcpy(&head, notes + *at, sizeof(head));
		size = padded(head.n_namesz) + padded(head.n_descsz);
		if (head.n_namesz > room || head.n_descsz > room || size > room)
			break;
		*at += sizeof(head) + size;
		if (head.n_type == STAPSDT && head.n_namesz == sizeof("stapsdt") &&
		    !memcmp(owner, "stapsdt", sizeof("stapsdt")) &&
		    read_note(owner + padded(head.n_namesz), head.n_descsz, provider, name, out))
			return true;
	}
	*at = bytes;
	return false;
}
