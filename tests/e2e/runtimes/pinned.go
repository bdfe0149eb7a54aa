// Go's runtime turns faults of its own into panics, while copies fill memory that the guard protects.
package main

// #cgo LDFLAGS: -lcudart
// #include "pinned.h"
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"
)

const turns, threads = 20, 8

var bad int

type node struct {
	next  *node
	value int
}

func count(ok bool) {
	if !ok {
		bad++
	}
}

// A nil dereference, recovered from.
func recovers(n *node) (ok bool) {
	defer func() { ok = recover() != nil }()
	return n.next.value == 7
}

// A wild one, which is fatal unless it is asked for.
func recoversWild() (ok bool) {
	debug.SetPanicOnFault(true)
	defer func() { ok = recover() != nil }()
	return *(*int)(unsafe.Pointer(uintptr(0xdeadbeef000))) == 1
}

// By a system call of the runtime's own.
func writes(data []byte) bool {
	file, err := os.CreateTemp("", "pinned")
	if err != nil {
		return false
	}
	defer os.Remove(file.Name())
	defer file.Close()
	_, err = file.WriteAt(data, 0)
	return err == nil
}

func add(data []byte, done chan int) {
	sum := 0
	for _, b := range data {
		sum += int(b)
	}
	done <- sum
}

func touch(data []byte) {
	done := make(chan int)
	for i := 0; i < threads; i++ {
		go add(data, done)
	}
	for i := 0; i < threads; i++ {
		<-done
	}
}

func main() {
	memory := C.pinned_begin()
	count(memory != nil)
	data := unsafe.Slice((*byte)(memory), C.PINNED_BYTES)
	for i := 0; i < turns; i++ {
		count(C.pinned_fill() == 0)
		count(recovers(nil) && recoversWild())
		if len(os.Args) > 1 && os.Args[1] == "touch" {
			touch(data)
		}
		if len(os.Args) > 1 && os.Args[1] == "write" {
			count(writes(data))
		}
		runtime.GC()
		count(recovers(nil) && recoversWild())
		count(C.pinned_wait() == 0)
		touch(data)
	}
	count(C.pinned_end() == 0)
	fmt.Println("bad", bad)
}
