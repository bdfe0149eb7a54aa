/* For assembly: the arguments of the program's call, kept on the stack while a function of ours is called. */
.macro SAVE_ARGUMENTS
	.irp	register, rdi, rsi, rdx, rcx, r8, r9
	pushq	%\register
	.cfi_adjust_cfa_offset 8
	.endr
	subq	$72, %rsp
	.cfi_adjust_cfa_offset 72
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	movsd	%xmm\number, 8 * \number(%rsp)
	.endr
.endm

.macro LOAD_ARGUMENTS
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	movsd	8 * \number(%rsp), %xmm\number
	.endr
	addq	$72, %rsp
	.cfi_adjust_cfa_offset -72
	.irp	register, r9, r8, rcx, rdx, rsi, rdi
	popq	%\register
	.cfi_adjust_cfa_offset -8
	.endr
.endm
