/* Memory operands of instructions: each is executed on memory that refuses it, and its fault read.
 */
#include <signal.h>
#include <sys/mman.h>
#include "tests/unit/unit.h"
#include "interposer/arch/instruction.h"

#define PAGE 4096

static uint8_t *page; /* the second of two; neither may be touched */
static sigjmp_buf back;
static struct sc_memory_operand seen;

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)number;
	seen = sc_instruction_operand(context, (uint64_t)info->si_addr);
	siglongjmp(back, 1);
}

/* CMocka has a handler of its own in each test. */
static void listen(void)
{
	struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};

	seen.bytes = 0;
	assert_int_equal(sigaction(SIGSEGV, &a, NULL), 0);
}

static int set_up(void **state)
{
	(void)state;
	page = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return -1;
	page += PAGE;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return munmap(page - PAGE, 3 * PAGE);
}

/* RAX points at `at`, RCX is `index`; RSI and RDI point at it too. */
#define RUN(text, at, index)                                                                   \
	({                                                                                     \
		listen();                                                                      \
		if (!sigsetjmp(back, 0))                                                       \
			__asm__ volatile(text ::"a"(at), "c"(index), "S"(at), "D"(at), "b"(at) \
					 : "memory", "cc", "rdx", "r8", "r9", "r10", "xmm1",   \
					   "xmm2");                                            \
	})
#define EXPECT(text, size)                                           \
	do {                                                         \
		RUN(text, page + 64, UINT64_C(3));                   \
		assert_int_equal(seen.bytes, size);                  \
		assert_int_equal(seen.address, (uint64_t)page + 64); \
	} while (0)

ALL_TESTS(set_up, tear_down)

TEST(moves)
{
	EXPECT("movb %%dl, (%%rax)", 1);
	EXPECT("movw %%dx, (%%rax)", 2);
	EXPECT("movl %%edx, (%%rax)", 4);
	EXPECT("movq %%rdx, (%%rax)", 8);
	EXPECT("movb (%%rax), %%dl", 1);
	EXPECT("movw (%%rax), %%dx", 2);
	EXPECT("movl (%%rax), %%edx", 4);
	EXPECT("movq (%%rax), %%r9", 8);
	EXPECT("movzbl (%%rax), %%edx", 1);
	EXPECT("movzwl (%%rax), %%edx", 2);
	EXPECT("movsbl (%%rax), %%edx", 1);
	EXPECT("movswq (%%rax), %%rdx", 2);
	EXPECT("movslq (%%rax), %%rdx", 4);
	EXPECT("movb $5, (%%rax)", 1);
	EXPECT("movw $5, (%%rax)", 2);
	EXPECT("movl $5, (%%rax)", 4);
	EXPECT("movq $5, (%%rax)", 8);
	EXPECT("movnti %%rdx, (%%rax)", 8);
	EXPECT("movbe (%%rax), %%edx", 4);
	EXPECT("xchgq %%rdx, (%%rax)", 8);
	EXPECT("cmovzq (%%rax), %%rdx", 8);
	EXPECT("setz (%%rax)", 1);
}

TEST(arithmetic)
{
	EXPECT("addl %%edx, (%%rax)", 4);
	EXPECT("addb (%%rax), %%dl", 1);
	EXPECT("cmpq $7, (%%rax)", 8);
	EXPECT("cmpw $700, (%%rax)", 2);
	EXPECT("cmpb $7, (%%rax)", 1);
	EXPECT("testb $1, (%%rax)", 1);
	EXPECT("testl $1, (%%rax)", 4);
	EXPECT("incl (%%rax)", 4);
	EXPECT("negq (%%rax)", 8);
	EXPECT("shlw $3, (%%rax)", 2);
	EXPECT("imull $9, (%%rax), %%edx", 4);
	EXPECT("imulq (%%rax), %%rdx", 8);
	EXPECT("lock xaddl %%edx, (%%rax)", 4);
	EXPECT("lock cmpxchgq %%rdx, (%%rbx)", 8);
	EXPECT("lock cmpxchg8b (%%rsi)", 8);
	EXPECT("lock cmpxchg16b (%%rsi)", 16);
	EXPECT("lock incb (%%rax)", 1);
	EXPECT("btsl $3, (%%rax)", 4);
}

TEST(strings)
{
	EXPECT("cld; stosb", 1);
	EXPECT("cld; rep stosb", 1);
	EXPECT("cld; rep stosq", 8);
	EXPECT("cld; lodsl", 4);
	EXPECT("cld; rep movsb", 1);
}

TEST(vectors)
{
	EXPECT("movss %%xmm1, (%%rax)", 4);
	EXPECT("movsd %%xmm1, (%%rax)", 8);
	EXPECT("movups %%xmm1, (%%rax)", 16);
	EXPECT("movaps (%%rax), %%xmm1", 16);
	EXPECT("movdqu (%%rax), %%xmm1", 16);
	EXPECT("movdqa %%xmm1, (%%rax)", 16);
	EXPECT("movntdq %%xmm1, (%%rax)", 16);
	EXPECT("movd %%xmm1, (%%rax)", 4);
	EXPECT("movq %%xmm1, (%%rax)", 8);
	EXPECT("movq (%%rax), %%xmm1", 8);
	EXPECT("movhps %%xmm1, (%%rax)", 8);
	EXPECT("movlpd (%%rax), %%xmm1", 8);
	EXPECT("addss (%%rax), %%xmm1", 4);
	EXPECT("mulsd (%%rax), %%xmm1", 8);
	EXPECT("addps (%%rax), %%xmm1", 16);
	EXPECT("ucomiss (%%rax), %%xmm1", 4);
	EXPECT("comisd (%%rax), %%xmm1", 8);
	EXPECT("cvtsi2sdl (%%rax), %%xmm1", 4);
	EXPECT("cvtsi2sdq (%%rax), %%xmm1", 8);
	EXPECT("cvtss2sd (%%rax), %%xmm1", 4);
	EXPECT("cvttsd2si (%%rax), %%rdx", 8);
	EXPECT("cvtps2pd (%%rax), %%xmm1", 8);
	EXPECT("paddd (%%rax), %%xmm1", 16);
	EXPECT("pinsrw $1, (%%rax), %%xmm1", 2);
	EXPECT("pmovzxbw (%%rax), %%xmm1", 8);
	EXPECT("pmovsxbd (%%rax), %%xmm1", 4);
	EXPECT("pextrb $1, %%xmm1, (%%rax)", 1);
	EXPECT("pextrq $1, %%xmm1, (%%rax)", 8);
	EXPECT("lddqu (%%rax), %%xmm1", 16);
}

TEST(x87)
{
	EXPECT("flds (%%rax)", 4);
	EXPECT("fldl (%%rax)", 8);
	EXPECT("fldt (%%rax)", 10);
	EXPECT("fildl (%%rax)", 4);
	EXPECT("fildq (%%rax)", 8);
	EXPECT("fnstcw (%%rax)", 2);
}

TEST(wide_vectors)
{
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
		skip();
	EXPECT("vmovups %%ymm1, (%%rax)", 32);
	EXPECT("vmovdqu (%%rax), %%ymm1", 32);
	EXPECT("vmovss (%%rax), %%xmm1", 4);
	EXPECT("vmovsd %%xmm1, (%%rax)", 8);
	EXPECT("vaddps (%%rax), %%ymm2, %%ymm1", 32);
	EXPECT("vaddss (%%rax), %%xmm2, %%xmm1", 4);
	EXPECT("vfmadd231ps (%%rax), %%ymm2, %%ymm1", 32);
	EXPECT("vfmadd231sd (%%rax), %%xmm2, %%xmm1", 8);
	EXPECT("vbroadcastss (%%rax), %%ymm1", 4);
	EXPECT("vbroadcastsd (%%rax), %%ymm1", 8);
	EXPECT("vpbroadcastb (%%rax), %%ymm1", 1);
	EXPECT("vextracti128 $1, %%ymm1, (%%rax)", 16);
	EXPECT("vinserti128 $1, (%%rax), %%ymm1, %%ymm1", 16);
	EXPECT("vpmovzxbd (%%rax), %%ymm1", 8);
	EXPECT("vmovq %%xmm1, (%%rax)", 8);
}

TEST(widest_vectors)
{
	if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl"))
		skip();
	EXPECT("vmovups %%zmm1, (%%rax)", 64);
	EXPECT("vmovdqu64 (%%rax), %%zmm1", 64);
	EXPECT("vpbroadcastd (%%rax), %%zmm1", 4);
	EXPECT("vaddps (%%rax)%{1to16%}, %%zmm1, %%zmm2", 4);
	RUN("vmovups 64(%%rax), %%zmm1", page, UINT64_C(3));
	assert_int_equal(seen.address, (uint64_t)page + 64);
	RUN("vmovdqu64 32(%%rax), %%ymm17", page, UINT64_C(3));
	assert_int_equal(seen.address, (uint64_t)page + 32);
}

TEST(forms_of_addresses)
{
	RUN("movl 12(%%rax), %%edx", page, UINT64_C(3));
	assert_int_equal(seen.address, (uint64_t)page + 12);
	RUN("movl 12(%%rax,%%rcx,8), %%edx", page, UINT64_C(3));
	assert_int_equal(seen.address, (uint64_t)page + 36);
	RUN("movq -8(%%rax), %%rdx", page + 80, UINT64_C(3));
	assert_int_equal(seen.address, (uint64_t)page + 72);
	RUN("movq %%rax, %%r9; movl 300(%%r9), %%edx", page, UINT64_C(3));
	assert_int_equal(seen.address, (uint64_t)page + 300);
	RUN("movq %%rax, %%r10; movl (%%r10,%%rcx,4), %%edx", page, UINT64_C(3));
	assert_int_equal(seen.address, (uint64_t)page + 12);
	RUN("movl (%%eax), %%edx", UINT64_C(64), UINT64_C(3));
	assert_int_equal(seen.address, 64);
}

/* A byte that was refused on the second page belongs to an operand that began on the first. */
TEST(an_operand_across_two_pages_is_whole)
{
	assert_int_equal(mprotect(page, PAGE, PROT_READ | PROT_WRITE), 0);
	RUN("movq (%%rax), %%rdx", page + PAGE - 3, UINT64_C(3));
	assert_int_equal(seen.bytes, 8);
	assert_int_equal(seen.address, (uint64_t)page + PAGE - 3);
	assert_int_equal(mprotect(page, PAGE, PROT_NONE), 0);
}

TEST(what_is_not_known_is_one_byte)
{
	RUN("fxsave (%%rax)", page + 64, UINT64_C(3));
	assert_int_equal(seen.bytes, 1);
	EXPECT("xorl %%edx, %%edx; btsq %%rdx, (%%rax)", 1);
	RUN("movdqa %%xmm1, %%xmm2; maskmovdqu %%xmm2, %%xmm1", page, UINT64_C(0));
	assert_true(seen.bytes <= 1);
}
