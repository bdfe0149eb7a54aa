/* Mutations of PTX for fuzz targets that read it: the results are texts of statements, most of them
 * alike the first ones, so that they come past the reader.
 *
 * A text is changed by its words (a name, an opcode with its parts, a number), or by its lines.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t room) __attribute__((weak));

struct text {
	uint8_t *data; /* borrowed */
	size_t bytes, room;
	uint64_t random;
};

struct piece {
	size_t at, bytes;
};

static size_t below(struct text *t, size_t limit)
{
	t->random ^= t->random << 13;
	t->random ^= t->random >> 7;
	t->random ^= t->random << 17;
	return limit ? t->random % limit : 0;
}

static void replace(struct text *t, struct piece old, const void *bytes, size_t count)
{
	uint8_t copy[1024];

	if (count > sizeof(copy) || t->bytes - old.bytes + count > t->room)
		return;
	memcpy(copy, bytes, count);
	memmove(t->data + old.at + count, t->data + old.at + old.bytes,
		t->bytes - old.at - old.bytes);
	memcpy(t->data + old.at, copy, count);
	t->bytes += count - old.bytes;
}

static bool in_word(uint8_t c)
{
	return isalnum(c) || c == '_' || c == '%' || c == '$' || c == '.';
}

static bool in_part(uint8_t c)
{
	return in_word(c) && c != '.';
}

static bool in_line(uint8_t c)
{
	return c != '\n';
}

/* The piece around, or next to, a random place that is made of such bytes. */
static struct piece pick(struct text *t, bool (*is_inside)(uint8_t c))
{
	struct piece p = {below(t, t->bytes), 0};

	while (p.at < t->bytes && !is_inside(t->data[p.at]))
		p.at++;
	while (p.at && p.at < t->bytes && is_inside(t->data[p.at - 1]))
		p.at--;
	while (p.at + p.bytes < t->bytes && is_inside(t->data[p.at + p.bytes]))
		p.bytes++;
	return p;
}

static struct piece pick_line(struct text *t)
{
	struct piece p = pick(t, in_line);

	p.bytes += p.at + p.bytes < t->bytes;
	return p;
}

static void copy_word(struct text *t)
{
	struct piece from = pick(t, in_word), to = pick(t, in_word);

	replace(t, to, t->data + from.at, from.bytes);
}

static void copy_part(struct text *t)
{
	struct piece from = pick(t, in_part), to = pick(t, in_part);

	replace(t, to, t->data + from.at, from.bytes);
}

static void change_part(struct text *t)
{
	static const char *const parts[] = {
		"u8",	 "s8",	   "b8",   "u16",   "s16",    "b16",	 "u32",	     "s32",
		"b32",	 "u64",	   "s64",  "b64",   "f16",    "f32",	 "f64",	     "f16x2",
		"bf16",	 "bf16x2", "pred", "rn",    "rz",     "rm",	 "rp",	     "rni",
		"rzi",	 "rmi",	   "rpi",  "sat",   "ftz",    "approx",	 "lo",	     "hi",
		"wide",	 "cc",	   "v2",   "v4",    "global", "shared",	 "local",    "const",
		"param", "sync",   "all",  "any",   "ballot", "aligned", "volatile", "eq",
		"lt",	 "geu",	   "and",  "or",    "xor",    "cas",	 "exch",     "add",
		"inc",	 "min",	   "max",  "trans",
	};
	const char *part = parts[below(t, sizeof(parts) / sizeof(*parts))];

	replace(t, pick(t, in_part), part, strlen(part));
}

static void change_number(struct text *t)
{
	static const char *const numbers[] = {
		"0",
		"1",
		"-1",
		"2",
		"3",
		"7",
		"16",
		"31",
		"32",
		"33",
		"63",
		"64",
		"127",
		"255",
		"1024",
		"4095",
		"4096",
		"65535",
		"65536",
		"0x7FFFFFFF",
		"0x80000000",
		"0xFFFFFFFF",
		"4294967296",
		"0x7FFFFFFFFFFFFFFF",
		"0x8000000000000000",
		"0xFFFFFFFFFFFFFFFF",
		"0x900000000000",
		"0x9000FFFFFFFF",
		"0x900100000000",
		"0x9002FFFFFFFC",
		"0f7F800000",
		"0fFFC00000",
		"0d7FF0000000000000",
		"1e40",
		"WARP_SZ",
		"_",
		"%tid.x",
		"%laneid",
	};
	const char *number = numbers[below(t, sizeof(numbers) / sizeof(*numbers))];
	struct piece p = pick(t, in_word);

	for (unsigned tries = 0; tries < 8 && p.bytes && !isdigit(t->data[p.at]); tries++)
		p = pick(t, in_word);
	replace(t, p, number, strlen(number));
}

static void copy_line(struct text *t)
{
	struct piece from = pick_line(t), to = pick_line(t);

	to.bytes = 0;
	replace(t, to, t->data + from.at, from.bytes);
}

static void remove_line(struct text *t)
{
	replace(t, pick_line(t), "", 0);
}

static void move_line(struct text *t)
{
	struct piece from = pick_line(t), to;
	uint8_t line[1024];

	if (from.bytes > sizeof(line))
		return;
	memcpy(line, t->data + from.at, from.bytes);
	replace(t, from, "", 0);
	to = pick_line(t);
	to.bytes = 0;
	replace(t, to, line, from.bytes);
}

/* A branch to, or a label at, a random line. */
static void add_branch(struct text *t)
{
	static const char *const lines[] = {"%c:\n",	       "bra %c;\n",
					    "@%%p1 bra %c;\n", "@!%%p2 bra %c;\n",
					    "@%%p1 exit;\n",   "bar.sync 0;\n"};
	struct piece to = pick_line(t);
	char line[32];
	int count = snprintf(line, sizeof(line), lines[below(t, 6)], (int)('A' + below(t, 6)));

	to.bytes = 0;
	replace(t, to, line, (size_t)count);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned seed)
{
	static void (*const ways[])(struct text *) = {
		copy_word,     copy_word, copy_part,   change_part, change_part, change_number,
		change_number, copy_line, remove_line, move_line,   add_branch,
	};
	struct text t = {data, bytes, room, seed * UINT64_C(0x9E3779B97F4A7C15) + 1};

	below(&t, 1);
	if (LLVMFuzzerMutate && !below(&t, 16))
		return LLVMFuzzerMutate(data, bytes, room);
	for (size_t n = 1 + below(&t, 4); n; n--)
		ways[below(&t, sizeof(ways) / sizeof(*ways))](&t);
	return t.bytes;
}
