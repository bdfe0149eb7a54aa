// Included before a unit test that shares its program with others: its main() gets another name.
#pragma once

int SC_UNIT_MAIN(void);
#define main SC_UNIT_MAIN
