/* bool sc_peek_copy(void *to, uint64_t from, size_t bytes): true if all bytes could be read.
 * A fault between sc_peek_copy and sc_peek_copied goes on at sc_peek_failed (peek.c). */
	.text
	.globl	sc_peek_copy, sc_peek_copied, sc_peek_failed
	.hidden	sc_peek_copy, sc_peek_copied, sc_peek_failed
	.type	sc_peek_copy, @function
sc_peek_copy:
	.cfi_startproc
	endbr64
	movq	%rdx, %rcx
	andl	$7, %edx
	shrq	$3, %rcx
	jz	2f
1:	movq	(%rsi), %rax
	movq	%rax, (%rdi)
	addq	$8, %rsi
	addq	$8, %rdi
	decq	%rcx
	jnz	1b
2:	testl	%edx, %edx
	jz	sc_peek_copied
3:	movb	(%rsi), %al
	movb	%al, (%rdi)
	incq	%rsi
	incq	%rdi
	decl	%edx
	jnz	3b
sc_peek_copied:
	movl	$1, %eax
	ret
sc_peek_failed:
	xorl	%eax, %eax
	ret
	.cfi_endproc
	.size	sc_peek_copy, . - sc_peek_copy

	.section .note.GNU-stack, "", @progbits
