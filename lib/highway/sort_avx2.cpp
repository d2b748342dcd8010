#define HWY_BASELINE_TARGETS HWY_AVX2
#include "sort.hpp"
