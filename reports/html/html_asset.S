/* The fixed parts of the HTML report: files head.html and tail.html of the build folder. */
	.section .rodata
	.globl sc_html_head
	.hidden sc_html_head
	.type sc_html_head, %object
sc_html_head:
	.incbin "head.html"
	.size sc_html_head, . - sc_html_head
head_end:
	.globl sc_html_tail
	.hidden sc_html_tail
	.type sc_html_tail, %object
sc_html_tail:
	.incbin "tail.html"
	.size sc_html_tail, . - sc_html_tail
tail_end:
	.balign 8
	.globl sc_html_head_bytes
	.hidden sc_html_head_bytes
	.type sc_html_head_bytes, %object
	.size sc_html_head_bytes, 8
sc_html_head_bytes:
	.quad head_end - sc_html_head
	.globl sc_html_tail_bytes
	.hidden sc_html_tail_bytes
	.type sc_html_tail_bytes, %object
	.size sc_html_tail_bytes, 8
sc_html_tail_bytes:
	.quad tail_end - sc_html_tail
	.section .note.GNU-stack,"",%progbits
