// kogge from Go, by cgo, which reads kogge.h. Slices are memory of the host, so its threads do the work.
//
//	export CGO_CFLAGS=-I$KOGGE/include CGO_LDFLAGS="-L$KOGGE/build -lkogge -Wl,-rpath,$KOGGE/build"
//	go run host.go
package main

// #include <kogge/kogge.h>
import "C"

import (
	"errors"
	"fmt"
	"log"
	"math"
	"runtime"
	"sort"
	"unsafe"
)

// call makes a call, whose message is its thread's: the goroutine stays there until it has read it.
func call(do func() C.kogge_status) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if do() != C.KOGGE_OK {
		return errors.New(C.GoString(C.kogge_message()))
	}
	return nil
}

func options() C.kogge_sort_options {
	return C.kogge_sort_options{size: C.size_t(unsafe.Sizeof(C.kogge_sort_options{}))}
}

// sortDescending sorts in place; equal items keep their order.
func sortDescending(items []int64) error {
	if len(items) == 0 {
		return nil
	}
	how, keys := options(), unsafe.Pointer(&items[0])
	how.order = C.KOGGE_DESCENDING
	return call(func() C.kogge_status {
		return C.kogge_radix_sort(keys, C.KOGGE_I64, keys, C.uint64_t(len(items)), &how, nil)
	})
}

// argTopK gives the indices of the k greatest items, the greatest first; NaNs come last.
func argTopK(items []float32, k int) ([]uint32, error) {
	if k <= 0 || k > len(items) {
		return nil, fmt.Errorf("k is %d, of %d items", k, len(items))
	}
	how, indices := options(), make([]uint32, k)
	how.nans = C.KOGGE_NANS_LAST
	return indices, call(func() C.kogge_status {
		return C.kogge_arg_top_k(unsafe.Pointer(&items[0]), C.KOGGE_F32, nil, unsafe.Pointer(&indices[0]), C.KOGGE_U32,
			C.uint64_t(len(items)), C.uint64_t(k), &how, nil)
	})
}

func main() {
	fmt.Println("kogge", C.GoString(C.kogge_version()))

	numbers, state := make([]int64, 1_000_000), uint32(1)
	for i := range numbers {
		state = state*1664525 + 1013904223
		numbers[i] = int64(state) - 1<<31
	}
	expected := append([]int64(nil), numbers...)
	sort.Slice(expected, func(i, j int) bool { return expected[i] > expected[j] })
	if err := sortDescending(numbers); err != nil {
		log.Fatal(err)
	}
	for i := range numbers {
		if numbers[i] != expected[i] {
			log.Fatalf("item %d is %d, not %d", i, numbers[i], expected[i])
		}
	}
	fmt.Printf("sorted %d numbers: %d is the greatest\n", len(numbers), numbers[0])

	scores := []float32{0.5, float32(math.NaN()), 8, -1, 8, 3}
	best, err := argTopK(scores, 3)
	if err != nil {
		log.Fatal(err)
	}
	if fmt.Sprint(best) != "[2 4 5]" { // of equal items the first one
		log.Fatal(best)
	}
	fmt.Printf("the best of %v: %v\n", scores, best)

	refused := call(func() C.kogge_status {
		return C.kogge_radix_sort(nil, C.KOGGE_F32, nil, 3, nil, nil)
	})
	fmt.Println("refused:", refused)
}
