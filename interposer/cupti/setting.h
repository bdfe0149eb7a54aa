/* Settings of CUPTI, for measuring what device times cost (docs/user/device-times.md). */
#ifndef SC_INTERPOSER_CUPTI_SETTING_H
#define SC_INTERPOSER_CUPTI_SETTING_H

#include "interposer/call/cuda.h" /* before CUPTI's headers, which include cuda.h their own way */
#include <cupti_activity.h>

struct sc_cupti_setting {
#define SC_CUPTI_SETTING(member, name, standard, least, most, meaning) size_t member;
#include "interposer/cupti/setting.def"
#undef SC_CUPTI_SETTING
};

/* The defaults, changed by `text`, which may be NULL. What cannot be understood is said and left.
 */
void sc_cupti_setting_read(struct sc_cupti_setting *out, const char *text);
/* Sets CUPTI's attributes, by its functions, which may be NULL in an older CUPTI. Returns how many
 * attributes CUPTI refused: it runs without these. */
unsigned sc_cupti_setting_apply(const struct sc_cupti_setting *s,
				typeof(cuptiActivitySetAttribute) *set,
				typeof(cuptiActivityFlushPeriod) *set_period);

#endif
