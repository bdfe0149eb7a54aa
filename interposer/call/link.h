/* Code that is linked at run time: which images go into a link, and what cuLinkComplete gives out
 * (interposer/object/origin.h). */
#pragma once

#include "interposer/call/call.h"

/* AFTER functions of the rows. */
void sc_link_created(struct sc_call *call);
void sc_link_data_added(struct sc_call *call);
void sc_link_data_added_v1(struct sc_call *call);
void sc_link_file_added(struct sc_call *call);
void sc_link_file_added_v1(struct sc_call *call);
void sc_link_completed(struct sc_call *call);
