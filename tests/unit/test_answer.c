/* What code does with the answer of a call: the instructions that compilers put there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "interposer/stack/answer.h"

/* Code that is not run; `name` is where the call returns to. */
#define CODE(name, text)                                                                       \
	extern const uint8_t name[], name##_start[], name##_end[];                             \
	__asm__(".pushsection .rodata\n" #name "_start:\n.fill 64, 1, 0xcc\n" #name ":\n" text \
		"\n.fill 1, 1, 0xcc\n" #name "_end:\n.popsection\n")
#define EXPECT(name, answer) \
	assert_int_equal(sc_answer_at(name, name##_start, name##_end), SC_ANSWER_##answer)

CODE(next_call, "movq 8(%rsp), %rdi\nxorl %esi, %esi\ncall next_call");
CODE(next_value, "addl $1, (%rdx)\nmovl $5, %eax\nret");
CODE(next_zero, "xorl %eax, %eax\nret");
CODE(next_load, "movups 16(%rsp), %xmm0\nmovq 8(%rsp), %rax\nret");
CODE(next_address, "leaq 0x10(%rsp,%rcx,4), %rax\nret");
CODE(popped, "addq $0x18, %rsp\npopq %rbx\npopq %rax\nret");
CODE(protected, "movq 8(%rsp), %rcx\nsubq %fs:0x28, %rcx\njne 1f\nxorl %eax, %eax\nret\n"
		"1: call protected");
CODE(padded, "nopw %cs:0(%rax,%rax,1)\nendbr64\ncall padded");
CODE(around, "1: cmpl $3, (%rbx)\njne 1b\njmp 2f\n.byte 0xcc\n2: call around");
CODE(linked, ".byte 0xf2, 0xff, 0x25, 0, 0, 0, 0");
CODE(never, "ud2");

static void test_dropped(void **state)
{
	(void)state;
	EXPECT(next_call, DROPPED);
	EXPECT(next_value, DROPPED);
	EXPECT(next_zero, DROPPED);
	EXPECT(next_load, DROPPED);
	EXPECT(next_address, DROPPED);
	EXPECT(popped, DROPPED);
	EXPECT(protected, DROPPED);
	EXPECT(padded, DROPPED);
	EXPECT(around, DROPPED);
	EXPECT(linked, DROPPED);
	EXPECT(never, DROPPED);
}

CODE(returned, "addq $8, %rsp\nret");
CODE(one_way, "testl %ebx, %ebx\nje 1f\nxorl %eax, %eax\n1: ret");

static void test_returned(void **state)
{
	(void)state;
	EXPECT(returned, RETURNED);
	EXPECT(one_way, RETURNED);
}

CODE(tested, "testl %eax, %eax\njne tested\nret");
CODE(compared, "cmpl $600, %eax\nje compared\nret");
CODE(stored, "movl %eax, -4(%rbp)\ncall stored");
CODE(kept, "movl %eax, %ebp\nxorl %eax, %eax\nret");
CODE(kept_far, "movq %rax, %r12\nxorl %eax, %eax\nret");
CODE(pushed, "pushq %rax\ncall pushed");
CODE(low_byte, "movb %al, (%rdx)\ncall low_byte");
CODE(high_byte, "movb %ah, %dl\ncall high_byte");
CODE(part, "movb $1, %al\nret");
CODE(half, "movw $1, %ax\nret");
CODE(flag, "sete %al\nret");
CODE(chosen, "cmovel %edx, %eax\nret");
CODE(index_of, "movl (%rdx,%rax,4), %eax\nret");
CODE(address_of, "movl (%rax), %eax\nret");
CODE(called, "call *%rax");
CODE(exchanged, "xchgl %eax, %edx\nret");
CODE(extended, "cltq\nret");
CODE(set, "rep stosl\ncall set");
CODE(system, "syscall\nret");
CODE(other_way, "testl %ebx, %ebx\nje 1f\nxorl %eax, %eax\nret\n1: testl %eax, %eax\nret");
CODE(table, "jmp *(%rcx,%rdx,8)");
CODE(vector, "vmovd %eax, %xmm0\nret");
CODE(outside, "jmp . + 0x1000");
CODE(cut, "movl $5, %ecx\n.byte 0xb8");
CODE(for_ever, "1: jmp 1b");

static void test_read(void **state)
{
	(void)state;
	EXPECT(tested, READ);
	EXPECT(compared, READ);
	EXPECT(stored, READ);
	EXPECT(kept, READ);
	EXPECT(kept_far, READ);
	EXPECT(pushed, READ);
	EXPECT(low_byte, READ);
	EXPECT(high_byte, READ);
	EXPECT(part, READ);
	EXPECT(half, READ);
	EXPECT(flag, READ);
	EXPECT(chosen, READ);
	EXPECT(index_of, READ);
	EXPECT(address_of, READ);
	EXPECT(called, READ);
	EXPECT(exchanged, READ);
	EXPECT(extended, READ);
	EXPECT(set, READ);
	EXPECT(system, READ);
	EXPECT(other_way, READ);
	EXPECT(table, READ);
	EXPECT(vector, READ);
	EXPECT(outside, READ);
	EXPECT(cut, READ);
	EXPECT(for_ever, READ);
}

/* Every beginning of every opcode ends, and leaves the code that it was given never. */
static void test_any(void **state)
{
	uint8_t code[20];

	(void)state;
	for (unsigned first = 0; first < 65536; first++)
		for (unsigned n = 1; n <= sizeof(code); n += 3) {
			uint8_t *end = code + sizeof(code), *place = end - n;

			for (unsigned i = 0; i < sizeof(code); i++)
				code[i] = (uint8_t)(first * (i + 7) >> 3);
			place[0] = (uint8_t)first;
			if (n > 1)
				place[1] = (uint8_t)(first >> 8);
			assert_in_range(sc_answer_at(place, place, end), 0, SC_ANSWER_RETURNED);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dropped),
		cmocka_unit_test(test_returned),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
