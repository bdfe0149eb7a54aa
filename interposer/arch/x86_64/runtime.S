/* Wrappers of the CUDA runtime's public names: a look at the thread, then a jump to the real one.
 *
 * They exist for calls inside host functions, which the runtime refuses without asking the driver,
 * and for questions for the error of a launch, which it answers itself.
 * Everything else costs a load, a compare and two jumps; arguments are never touched.
 */
#include "interposer/arch/x86_64/keep_arguments.S"

#define CALLBACK_OFFSET 8 /* of `callback` and `unasked` in struct sc_thread; asserted in runtime.c */

	.text

/* One entry per runtime version: r11d holds the number of the name. */
.macro ENTRY major
	.type	sc_runtime_enter_\major, @function
sc_runtime_enter_\major:
	.cfi_startproc
	movq	sc_self@gottpoff(%rip), %r10
	cmpq	$0, %fs:CALLBACK_OFFSET(%r10)
	jne	2f
	leaq	sc_runtime_\major(%rip), %r10
	movq	(%r10,%r11,8), %r10
	testq	%r10, %r10
	jz	2f
	jmp	*%r10
2:	SAVE_ARGUMENTS
	movl	%r11d, %edi
	movl	$\major, %esi
	call	sc_runtime_call
	LOAD_ARGUMENTS
	jmp	*%rax
	.cfi_endproc
	.size	sc_runtime_enter_\major, . - sc_runtime_enter_\major
.endm

	ENTRY	11
	ENTRY	12
	ENTRY	13

	.set	number, 0

.macro WRAPPER name
	.irp	major, 11, 12, 13
	.globl	sc_\name\()_\major
	.type	sc_\name\()_\major, @function
sc_\name\()_\major:
	.cfi_startproc
	endbr64
	movl	$number, %r11d
	jmp	sc_runtime_enter_\major
	.cfi_endproc
	.size	sc_\name\()_\major, . - sc_\name\()_\major
	.endr
	.symver	sc_\name\()_11, \name@libcudart.so.11.0, remove
	.symver	sc_\name\()_12, \name@libcudart.so.12, remove
	.symver	sc_\name\()_13, \name@@libcudart.so.13, remove
	.set	number, number + 1
.endm

#define RUNTIME(name) WRAPPER name
#include "interposer/runtime/runtime.def"

	.section .note.GNU-stack, "", @progbits
