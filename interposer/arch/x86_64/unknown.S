/* Entry points of the driver that have no row: a look at a byte, then a jump to the real function.
 *
 * The first call of each tells sc_unknown_called its number before; arguments are not touched, of
 * which nothing is known.
 */
#include "interposer/arch/x86_64/keep_arguments.S"
#include "interposer/hook/unknown_most.h"

	.text
	.type	sc_unknown_first, @function
sc_unknown_first:
	.cfi_startproc
	SAVE_ARGUMENTS
	movl	%r11d, %edi
	call	sc_unknown_called
	LOAD_ARGUMENTS
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
