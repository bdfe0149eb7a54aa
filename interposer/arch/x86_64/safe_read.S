/* Functions that read what may not be there (safe_read.h). A fault between sc_safe_begin and
 * sc_safe_end goes on at sc_safe_failed (safe_read.c). Neither changes the stack. */
	.text
	.globl	sc_safe_copy, sc_safe_is_same, sc_safe_begin, sc_safe_end, sc_safe_failed
	.hidden	sc_safe_copy, sc_safe_is_same, sc_safe_begin, sc_safe_end, sc_safe_failed
sc_safe_begin:

/* bool sc_safe_is_same(const struct sc_safe_frame *f, size_t count, size_t code,
 *			size_t instruction, size_t previous) */
	.type	sc_safe_is_same, @function
sc_safe_is_same:
	.cfi_startproc
	endbr64
1:	movq	(%rdi), %r9
	movq	(%r9,%rdx), %rax
	cmpq	8(%rdi), %rax
	jne	sc_safe_failed
	movq	(%r9,%rcx), %rax
	cmpq	16(%rdi), %rax
	jne	sc_safe_failed
	movq	(%r9,%r8), %rax
	addq	$24, %rdi
	cmpq	(%rdi), %rax
	jne	sc_safe_failed
	decq	%rsi
	jnz	1b
	jmp	sc_safe_end
	.cfi_endproc
	.size	sc_safe_is_same, . - sc_safe_is_same

/* bool sc_safe_copy(void *to, uint64_t from, size_t bytes) */
	.type	sc_safe_copy, @function
sc_safe_copy:
	.cfi_startproc
	endbr64
	subq	$32, %rdx
	jb	2f
1:	movdqu	(%rsi), %xmm0
	movdqu	16(%rsi), %xmm1
	movdqu	%xmm0, (%rdi)
	movdqu	%xmm1, 16(%rdi)
	addq	$32, %rsi
	addq	$32, %rdi
	subq	$32, %rdx
	jae	1b
2:	addq	$24, %rdx
	jnc	4f
3:	movq	(%rsi), %rax
	movq	%rax, (%rdi)
	addq	$8, %rsi
	addq	$8, %rdi
	subq	$8, %rdx
	jae	3b
4:	addq	$8, %rdx
	jz	sc_safe_end
5:	movb	(%rsi), %al
	movb	%al, (%rdi)
	incq	%rsi
	incq	%rdi
	decq	%rdx
	jnz	5b
sc_safe_end:
	movl	$1, %eax
	ret
sc_safe_failed:
	xorl	%eax, %eax
	ret
	.cfi_endproc
	.size	sc_safe_copy, . - sc_safe_copy

	.section .note.GNU-stack, "", @progbits
