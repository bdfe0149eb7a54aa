/* Exported dlsym, dlopen and dlclose: what is not served is reached by a tail jump, because libc asks who the
 * caller is (RTLD_NEXT, run paths) by its return address. */

/* Under both versions that glibc has: who looks them up by one would find the real ones, and whatever
 * goes through there would not be recorded. */
.macro VERSIONS name
	.globl	sc_\name\()_old
	.set	sc_\name\()_old, sc_\name
	.symver	sc_\name\()_old, \name@GLIBC_2.2.5, remove
	.symver	sc_\name, \name@@GLIBC_2.34, remove
.endm

/* Calls with the caller's two arguments, which are there again afterwards, and with where it will return to. */
.macro CALL_KEEPING_ARGUMENTS function
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	movq	24(%rsp), %rdx
	call	\function
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
.endm

	.text

/* void *dlsym(void *handle, const char *name)
 * sc_lookup_dlsym returns a result in rax and, in rdx, where to go instead (0: return the result). */
	.globl	sc_dlsym
	.type	sc_dlsym, @function
sc_dlsym:
	.cfi_startproc
	endbr64
	CALL_KEEPING_ARGUMENTS sc_lookup_dlsym
	testq	%rdx, %rdx
	jz	1f
	jmp	*%rdx
1:	ret
	.cfi_endproc
	.size	sc_dlsym, . - sc_dlsym
	VERSIONS dlsym

/* Calls what is in rax with the caller's arguments, and with its result, which is kept, the function. In
 * a frame, so that a stack that is walked by frames has the caller, too. */
.macro CALL_AND_THEN function
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	movq	%rsp, %rbp
	subq	$16, %rsp
	.cfi_adjust_cfa_offset 16
	call	*%rax
	movq	%rax, (%rsp)
	movq	%rax, %rdi
	call	\function
	movq	(%rsp), %rax
	addq	$16, %rsp
	.cfi_adjust_cfa_offset -16
	popq	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbp
	ret
.endm

/* void *dlopen(const char *file, int mode)
 * sc_lookup_dlopen returns in rax what is to be called from here, or 0, and in rdx where to go then. */
	.globl	sc_dlopen
	.type	sc_dlopen, @function
sc_dlopen:
	.cfi_startproc
	endbr64
	CALL_KEEPING_ARGUMENTS sc_lookup_dlopen
	testq	%rax, %rax
	jnz	1f
	jmp	*%rdx
1:	CALL_AND_THEN sc_lookup_dlopened
	.cfi_endproc
	.size	sc_dlopen, . - sc_dlopen
	VERSIONS dlopen

/* int dlclose(void *handle): libc does not ask for its caller. */
	.globl	sc_dlclose
	.type	sc_dlclose, @function
sc_dlclose:
	.cfi_startproc
	endbr64
	CALL_KEEPING_ARGUMENTS sc_lookup_dlclose
	CALL_AND_THEN sc_lookup_dlclosed
	.cfi_endproc
	.size	sc_dlclose, . - sc_dlclose
	VERSIONS dlclose

	.section .note.GNU-stack, "", @progbits
