// Included before a unit test that shares its program with others: its main() gets another name.
#ifndef SC_UNIT_ROOM_H
#define SC_UNIT_ROOM_H

int SC_UNIT_MAIN(void);
#define main SC_UNIT_MAIN

#endif
