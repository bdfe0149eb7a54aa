/* The device code of kernels/record.cu and collect.cu, as fat binaries. */
	.section .rodata
	.balign 16
	.globl	sc_image_record
	.hidden	sc_image_record
	.type	sc_image_record, @object
sc_image_record:
	.incbin	SC_IMAGE_RECORD
	.size	sc_image_record, . - sc_image_record
	.balign 16
	.globl	sc_image_collect
	.hidden	sc_image_collect
	.type	sc_image_collect, @object
sc_image_collect:
	.incbin	SC_IMAGE_COLLECT
	.size	sc_image_collect, . - sc_image_collect
	.section .note.GNU-stack, "", @progbits
