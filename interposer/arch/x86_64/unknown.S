/* Entry points of the driver that have no row: a look at a byte, then a jump to the real function.
 *
 * The first call of each tells sc_unknown_called its number before; arguments are not touched, of
 * which nothing is known.
 */
#include "interposer/hook/unknown_most.h"

	.text
	.type	sc_unknown_first, @function
sc_unknown_first:
	.cfi_startproc
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	pushq	%r8
	.cfi_adjust_cfa_offset 8
	pushq	%r9
	.cfi_adjust_cfa_offset 8
	subq	$72, %rsp
	.cfi_adjust_cfa_offset 72
	movsd	%xmm0, (%rsp)
	movsd	%xmm1, 8(%rsp)
	movsd	%xmm2, 16(%rsp)
	movsd	%xmm3, 24(%rsp)
	movsd	%xmm4, 32(%rsp)
	movsd	%xmm5, 40(%rsp)
	movsd	%xmm6, 48(%rsp)
	movsd	%xmm7, 56(%rsp)
	movl	%r11d, %edi
	call	sc_unknown_called
	movsd	(%rsp), %xmm0
	movsd	8(%rsp), %xmm1
	movsd	16(%rsp), %xmm2
	movsd	24(%rsp), %xmm3
	movsd	32(%rsp), %xmm4
	movsd	40(%rsp), %xmm5
	movsd	48(%rsp), %xmm6
	movsd	56(%rsp), %xmm7
	addq	$72, %rsp
	.cfi_adjust_cfa_offset -72
	popq	%r9
	.cfi_adjust_cfa_offset -8
	popq	%r8
	.cfi_adjust_cfa_offset -8
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	jmp	*%rax
	.cfi_endproc
	.size	sc_unknown_first, . - sc_unknown_first

	/* Stubs of 64 bytes each. */
	.globl	sc_unknown_stubs
	.hidden	sc_unknown_stubs
	.type	sc_unknown_stubs, @function
	.balign	64
sc_unknown_stubs:
	.cfi_startproc
	.set	number, 0
	.rept	SC_UNKNOWN_MOST
	.balign	64
	endbr64
	movl	$number, %r11d
	cmpb	$0, sc_unknown_seen + number(%rip)
	je	sc_unknown_first
	jmp	*sc_unknown_real + 8 * number(%rip)
	.set	number, number + 1
	.endr
	.cfi_endproc
	.size	sc_unknown_stubs, . - sc_unknown_stubs

	.section .note.GNU-stack, "", @progbits
