/* Functions of libc.def: two compares, and a jump to the real function, while no session lives.
 * Otherwise, and where a function waits for what another thread writes (acquires.h), its effect on the
 * program's memory is recorded first. If the end of the call matters too (side_effect.h), the real
 * function is called from here; its frame is one of ours for the unwinder. Arguments are never
 * touched.
 */
#define SESSION_LIVE 2	 /* of `state`, the first member of sc_session; asserted in libc.c */
#define LIBC	     8	 /* of `libc` in sc_real; the same */
#define EFFECTS_BYTES   320 /* struct sc_side_effects fits; the same */
#define REGISTERS    EFFECTS_BYTES
#define RAX	     REGISTERS + 48
#define RDX	     REGISTERS + 56
#define VECTORS	     REGISTERS + 64
#define FRAME	     REGISTERS + 64 + 128

	.text

/* r11d: the function's number among the real ones. */
	.type	slow, @function
slow:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	subq	$FRAME, %rsp
	movq	%rdi, REGISTERS(%rsp)
	movq	%rsi, REGISTERS+8(%rsp)
	movq	%rdx, REGISTERS+16(%rsp)
	movq	%rcx, REGISTERS+24(%rsp)
	movq	%r8, REGISTERS+32(%rsp)
	movq	%r9, REGISTERS+40(%rsp)
	movq	%rax, RAX(%rsp)
	testb	%al, %al	/* of functions with `...`: whether there are numbers in vector registers */
	jz	1f
	movaps	%xmm0, VECTORS(%rsp)
	movaps	%xmm1, VECTORS+16(%rsp)
	movaps	%xmm2, VECTORS+32(%rsp)
	movaps	%xmm3, VECTORS+48(%rsp)
	movaps	%xmm4, VECTORS+64(%rsp)
	movaps	%xmm5, VECTORS+80(%rsp)
	movaps	%xmm6, VECTORS+96(%rsp)
	movaps	%xmm7, VECTORS+112(%rsp)
1:	movq	%rsp, %rdi
	leaq	REGISTERS(%rsp), %rsi
	movl	%r11d, %edx
	leaq	16(%rbp), %rcx
	call	sc_libc_enter
	movq	%rax, %r11
	movq	%rdx, %r10
	movq	RAX(%rsp), %rax
	testb	%al, %al
	jz	2f
	movaps	VECTORS(%rsp), %xmm0
	movaps	VECTORS+16(%rsp), %xmm1
	movaps	VECTORS+32(%rsp), %xmm2
	movaps	VECTORS+48(%rsp), %xmm3
	movaps	VECTORS+64(%rsp), %xmm4
	movaps	VECTORS+80(%rsp), %xmm5
	movaps	VECTORS+96(%rsp), %xmm6
	movaps	VECTORS+112(%rsp), %xmm7
2:	movq	REGISTERS(%rsp), %rdi
	movq	REGISTERS+8(%rsp), %rsi
	movq	REGISTERS+16(%rsp), %rdx
	movq	REGISTERS+24(%rsp), %rcx
	movq	REGISTERS+32(%rsp), %r8
	movq	REGISTERS+40(%rsp), %r9
	testq	%r11, %r11
	jz	4f
	testq	%r10, %r10
	jnz	3f
	.cfi_remember_state
	leave
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	jmp	*%r11
	.cfi_restore_state
3:	call	*%r11
	movq	%rax, RAX(%rsp)
	movq	%rdx, RDX(%rsp)
	movq	%rsp, %rdi
	movq	%rax, %rsi
	call	sc_side_effect_end
	movq	RAX(%rsp), %rax
	movq	RDX(%rsp), %rdx
	.cfi_remember_state
	leave
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	ret
	.cfi_restore_state
4:	movq	%r10, %rax	/* there is no real one: r10 is the result */
	leave
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	ret
	.cfi_endproc
	.size	slow, . - slow

	.set	number, 0

/* The place of every real function counts, so that the numbers are those of enum sc_real_number. */
.macro COUNTED name
	.set	number, number + 1
.endm

.macro WRAPPER name
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	endbr64
	cmpl	$SESSION_LIVE, sc_session(%rip)
	je	1f
	cmpb	$0, sc_acquires_libc+number(%rip)
	jne	1f
	movq	sc_real+LIBC+8*number(%rip), %r11
	testq	%r11, %r11
	jz	1f
	jmp	*%r11
1:	movl	$number, %r11d
	jmp	slow
	.cfi_endproc
	.size	\name, . - \name
	.set	number, number + 1
.endm

#define REAL(name)    COUNTED name
#define WRAPPED(name) WRAPPER name
#include "interposer/core/real_all.def"

	.section .note.GNU-stack, "", @progbits
