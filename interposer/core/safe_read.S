/* bool sc_safe_copy(void *to, uint64_t from, size_t bytes): true if all bytes could be read.
 * A fault between sc_safe_copy and sc_safe_copy_end goes on at sc_safe_copy_failed (safe_read.c). */
	.text
	.globl	sc_safe_copy, sc_safe_copy_end, sc_safe_copy_failed
	.hidden	sc_safe_copy, sc_safe_copy_end, sc_safe_copy_failed
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
	jz	sc_safe_copy_end
5:	movb	(%rsi), %al
	movb	%al, (%rdi)
	incq	%rsi
	incq	%rdi
	decq	%rdx
	jnz	5b
sc_safe_copy_end:
	movl	$1, %eax
	ret
sc_safe_copy_failed:
	xorl	%eax, %eax
	ret
	.cfi_endproc
	.size	sc_safe_copy, . - sc_safe_copy

	.section .note.GNU-stack, "", @progbits
