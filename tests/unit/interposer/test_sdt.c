/* Notes of probes: their arguments as texts, the values of these, and notes that are cut off. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "interposer/arch/sdt.h"

static uint64_t value_of(const char *text, const ucontext_t *context)
{
	struct sc_sdt_argument a[SC_SDT_ARGUMENTS];

	assert_int_equal(sc_sdt_parse(text, a), 1);
	return sc_sdt_value(&a[0], context);
}

TEST(registers)
{
	ucontext_t c = {0};

	c.uc_mcontext.gregs[REG_RAX] = (greg_t)UINT64_C(0x1122334455668788);
	c.uc_mcontext.gregs[REG_R14] = 77;
	assert_int_equal(value_of("-8@%rax", &c), 0x1122334455668788);
	assert_int_equal(value_of("4@%eax", &c), 0x55668788);
	assert_int_equal(value_of("2@%ax", &c), 0x8788);
	assert_int_equal(value_of("-2@%ax", &c), UINT64_C(0xffffffffffff8788));
	assert_int_equal(value_of("-1@%al", &c), UINT64_C(0xffffffffffffff88));
	assert_int_equal(value_of("1@%ah", &c), 0x87);
	assert_int_equal(value_of("8@%r14", &c), 77);
	assert_int_equal(value_of("1@%r14b", &c), 77);
}

TEST(memory_and_numbers)
{
	int64_t words[2] = {-5, 900};
	ucontext_t c = {0};

	c.uc_mcontext.gregs[REG_RBP] = (greg_t)(uintptr_t)&words[1];
	assert_int_equal(value_of("-8@-8(%rbp)", &c), (uint64_t)-5);
	assert_int_equal(value_of("4@(%rbp)", &c), 900);
	assert_int_equal(value_of("-4@$-12", &c), (uint64_t)-12);
}

TEST(several)
{
	struct sc_sdt_argument a[SC_SDT_ARGUMENTS];

	assert_int_equal(sc_sdt_parse("-8@%rax -1@%dl -8@%r14 -8@-56(%rbp)", a), 4);
	assert_int_equal(a[1].bytes, -1);
	assert_int_equal(a[1].gregister, REG_RDX);
	assert_int_equal(a[3].kind, SC_SDT_MEMORY);
	assert_int_equal(a[3].number, -56);
}

TEST(what_is_not_understood)
{
	static const char *const texts[] = {"",
					    "8@",
					    "8%rax",
					    "3@%rax",
					    "8@%xmm0",
					    "8@%",
					    "8@8",
					    "8@8(",
					    "8@8(%rax",
					    "8@8(%rax,%rbx,4)",
					    "8@counter(%rip)",
					    "8@%rax8@%rbx",
					    "8@%rax 8@%rbx 8@%rcx 8@%rdx 8@%rsi"};
	struct sc_sdt_argument a[SC_SDT_ARGUMENTS];

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(sc_sdt_parse(texts[i], a), 0);
}

/* A note as <sys/sdt.h> makes it. */
static size_t add_note(uint8_t *to, const char *owner, uint64_t place, const char *texts,
		       size_t bytes)
{
	uint32_t head[3] = {(uint32_t)strlen(owner) + 1, 24 + (uint32_t)bytes, 3};
	uint64_t addresses[3] = {place, 0, 0x4000};
	size_t at = sizeof(head);

	memcpy(to, head, sizeof(head));
	memcpy(to + at, owner, head[0]);
	at += (head[0] + 3) & ~3u;
	memcpy(to + at, addresses, sizeof(addresses));
	memcpy(to + at + sizeof(addresses), texts, bytes);
	return at + ((head[1] + 3) & ~3u);
}

TEST(notes)
{
	uint8_t notes[512] = {0};
	struct sc_sdt_probe p;
	size_t bytes, at = 0;

	bytes = add_note(notes, "other", 1,
			 "pytorch\0free\0"
			 "8@%rax",
			 20);
	bytes += add_note(notes + bytes, "stapsdt", 2,
			  "pytorch\0malloc\0"
			  "8@%rax",
			  22);
	bytes += add_note(notes + bytes, "stapsdt", 3,
			  "pytorch\0free\0"
			  "8@%rdi",
			  20);
	bytes += add_note(notes + bytes, "stapsdt", 4,
			  "pytorch\0free\0"
			  "8@%xmm1",
			  21);
	assert_true(sc_sdt_next(notes, bytes, &at, "pytorch", "free", &p));
	assert_int_equal(p.place, 3);
	assert_int_equal(p.semaphore, 0x4000);
	assert_int_equal(p.count, 1);
	assert_true(sc_sdt_next(notes, bytes, &at, "pytorch", "free", &p));
	assert_int_equal(p.place, 4);
	assert_int_equal(p.count, 0);
	assert_false(sc_sdt_next(notes, bytes, &at, "pytorch", "free", &p));
}

/* Whatever is left of it: nothing beyond the end is read (in a block of its own, for the address
 * sanitizer), and a note that is not whole is none. */
TEST(notes_that_are_cut_off)
{
	uint8_t notes[128] = {0};
	size_t bytes = add_note(notes, "stapsdt", 3,
				"pytorch\0free\0"
				"8@%rdi",
				20);

	for (size_t length = 0; length < bytes; length++) {
		uint8_t *part = malloc(length + !length);
		struct sc_sdt_probe p;
		size_t at = 0;

		memcpy(part, notes, length);
		assert_false(sc_sdt_next(part, length, &at, "pytorch", "free", &p));
		free(part);
	}
}
