/* The files docs/rules/SC-nnn.md, one for each row of rule.def, and the table sc_rule_texts. */
#define STRING(text) #text
#define FILE_NAME(number) STRING(docs/rules/SC-number.md)

	.section .rodata
#define SC_RULE(number, slug, severity, kind, summary, why, fix) \
	rule_text_##number: .incbin FILE_NAME(number); .byte 0;
#include "analyzer/finding/rule.def"
#undef SC_RULE

	.section .data.rel.ro,"aw"
	.balign 8
	.globl sc_rule_texts
	.hidden sc_rule_texts
	.type sc_rule_texts, %object
sc_rule_texts:
#define SC_RULE(number, slug, severity, kind, summary, why, fix) .quad number, rule_text_##number;
#include "analyzer/finding/rule.def"
#undef SC_RULE
	.quad 0, 0
	.size sc_rule_texts, . - sc_rule_texts
	.section .note.GNU-stack,"",%progbits
