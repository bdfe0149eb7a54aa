/* Exported dlsym and dlopen: what is not served is reached by a tail jump, because libc asks who the
 * caller is (RTLD_NEXT, run paths) by its return address. */

	.text

/* void *dlsym(void *handle, const char *name)
 * sc_hook_dlsym returns a result in rax and, in rdx, where to go instead (0: return the result). */
	.globl	dlsym
	.type	dlsym, @function
dlsym:
	.cfi_startproc
	endbr64
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	sc_hook_dlsym
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	testq	%rdx, %rdx
	jz	1f
	jmp	*%rdx
1:	ret
	.cfi_endproc
	.size	dlsym, . - dlsym

/* void *dlopen(const char *file, int mode) */
	.globl	dlopen
	.type	dlopen, @function
dlopen:
	.cfi_startproc
	endbr64
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	sc_hook_dlopen
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	jmp	*%rax
	.cfi_endproc
	.size	dlopen, . - dlopen

	.section .note.GNU-stack, "", @progbits
