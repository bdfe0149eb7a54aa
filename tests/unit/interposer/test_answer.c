/* What code does with the answer of a call: the instructions that compilers put there. */
#include "tests/unit/unit.h"
#include "interposer/arch/answer.h"

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

TEST(dropped)
{
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

TEST(returned)
{
	EXPECT(returned, RETURNED);
	EXPECT(one_way, RETURNED);
}

/* As macros do that accept both answers of a query. */
CODE(alike, "testl %eax, %eax\nje 1f\ncmpl $600, %eax\njne 2f\n1: addl $1, (%rbx)\npopq %rbx\n"
	    "movl $5, %eax\nret\n2: movl %eax, %edi\ncall alike");
CODE(alike_and_kept, "cmpl $600, %eax\nje 1f\nmovl %eax, %ebx\ntestl %eax, %eax\njne 2f\n"
		     "1: addl $1, (%rbp)\npopq %rbx\nmovl $5, %eax\nret\n2: movl %ebx, %edi\n"
		     "call alike_and_kept");
CODE(alike_kept_far,
     "movl %eax, %r13d\ncmpl $600, %eax\nje 1f\ntestl %eax, %eax\njne 2f\n1: call 1b\n"
     "popq %r13\nxorl %eax, %eax\nret\n2: movl %r13d, %edi\ncall alike_kept_far");
CODE(alike_kept_low,
     "testl %eax, %eax\nje 1f\nmovl %eax, %ebp\ncmpl $600, %eax\njne 2f\n1: movl (%rbx), %eax\n"
     "addl $1, %eax\npopq %rbx\npopq %rbp\nret\n2: movl %ebp, %edi\ncall alike_kept_low");
CODE(alike_by_jump, "testl %eax, %eax\njne 1f\njmp 3f\n2: call 2b\n1: cmpl $600, %eax\njne 2b\n"
		    "3: call 3b");
CODE(alike_signed,
     "testl %eax, %eax\njs 1f\ncmpl $700, %eax\njg 1f\ncall alike_signed\n1: call 1b");
CODE(below_both, "cmpl $3, %eax\njb 1f\ncmpl $599, %eax\njbe 2f\n1: call 1b\n2: call 2b");
CODE(alike_twice, "testl %eax, %eax\nje 1f\ncmpl $600, %eax\njne 2f\n1: cmpl $-1, %eax\nje 2f\n"
		  "call alike_twice\n2: ud2");
CODE(flags_gone, "cmpl $600, %eax\nmovl (%rbx), %eax\naddl $1, %eax\nje 1f\nret\n1: call 1b");
CODE(alike_returned, "testl %eax, %eax\nje 1f\ncmpl $600, %eax\njne 2f\n1: ret\n2: ud2");

TEST(alike)
{
	EXPECT(alike, DROPPED);
	EXPECT(alike_and_kept, DROPPED);
	EXPECT(alike_kept_far, DROPPED);
	EXPECT(alike_kept_low, DROPPED);
	EXPECT(alike_by_jump, DROPPED);
	EXPECT(alike_signed, DROPPED);
	EXPECT(below_both, DROPPED);
	EXPECT(alike_twice, DROPPED);
	EXPECT(flags_gone, DROPPED);
	EXPECT(alike_returned, RETURNED);
}

CODE(differs, "testl %eax, %eax\nje 1f\naddl $1, (%rbx)\n1: call 1b");
CODE(counted,
     "cmpl $600, %eax\nje 1f\ntestl %eax, %eax\njne 2f\naddl $1, (%rbx)\n1: call 1b\n2: ud2");
CODE(until_ready, "1: cmpl $600, %eax\nje 1b\ncall until_ready");
CODE(again, "cmpl $600, %eax\nje again_start\ncall again");
CODE(flags_later, "cmpl $600, %eax\nmovl (%rbx), %eax\njne 1f\naddl $1, %eax\n1: ret");
CODE(flags_set, "cmpl $600, %eax\nmovl $0, %eax\nsete %al\nret");
CODE(flags_moved, "cmpl $600, %eax\nmovl $5, %eax\ncmovel %edx, %ecx\ncall flags_moved");
CODE(flags_carried, "cmpl $600, %eax\nmovl $5, %eax\nadcl $0, %ecx\ncall flags_carried");
CODE(kept_and_used, "cmpl $600, %eax\nje 1f\nmovl %eax, %ebx\ntestl %eax, %eax\njne 2f\n"
		    "1: movl %ebx, (%rsp)\npopq %rbx\nret\n2: ud2");
CODE(kept_past_call, "cmpl $600, %eax\nje 1f\nmovl %eax, %ebx\ntestl %eax, %eax\njne 2f\n"
		     "1: call 1b\ntestl %ebx, %ebx\njne 2f\nret\n2: ud2");
CODE(kept_beyond,
     "cmpl $600, %eax\nje 1f\nmovl %eax, %ebx\ntestl %eax, %eax\njne 2f\n1: ret\n2: ud2");
CODE(kept_and_left, "cmpl $600, %eax\nje 1f\nmovl %eax, %ebp\ntestl %eax, %eax\njne 2f\n"
		    "1: leave\nret\n2: ud2");
CODE(alike_then_read,
     "testl %eax, %eax\nje 1f\ncmpl $600, %eax\njne 2f\n1: movl %eax, (%rbx)\n2: ud2");
CODE(other_value, "cmpl $3, %edx\nje 1f\ntestl %eax, %eax\nje 2f\n1: call 1b\n2: call 2b");
CODE(between, "testl %eax, %eax\njle 1f\ncmpl $599, %eax\njle 1f\nud2\n1: call 1b");
CODE(long_one, "testq %rax, %rax\nje 1f\ncmpl $600, %eax\njne 2f\n1: call 1b\n2: ud2");
CODE(parity, "testl %eax, %eax\njp 1f\n1: call 1b");

TEST(not_alike)
{
	EXPECT(differs, READ);
	EXPECT(counted, READ);
	EXPECT(until_ready, READ);
	EXPECT(again, READ);
	EXPECT(flags_later, READ);
	EXPECT(flags_set, READ);
	EXPECT(flags_moved, READ);
	EXPECT(flags_carried, READ);
	EXPECT(kept_and_used, READ);
	EXPECT(kept_past_call, READ);
	EXPECT(kept_beyond, READ);
	EXPECT(kept_and_left, READ);
	EXPECT(alike_then_read, READ);
	EXPECT(other_value, READ);
	EXPECT(between, READ);
	EXPECT(long_one, READ);
	EXPECT(parity, READ);
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
CODE(other_way, "testl %ebx, %ebx\nje 1f\nxorl %eax, %eax\nret\n1: testl %eax, %eax\nje 2f\n"
		"addl $1, (%rbx)\n2: ret");
CODE(table, "jmp *(%rcx,%rdx,8)");
CODE(vector, "vmovd %eax, %xmm0\nret");
CODE(outside, "jmp . + 0x1000");
CODE(cut, "movl $5, %ecx\n.byte 0xb8");
CODE(for_ever, "1: jmp 1b");

TEST(read)
{
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
TEST(any)
{
	uint8_t code[20];

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
