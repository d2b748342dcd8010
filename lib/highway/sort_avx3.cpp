#define HWY_BASELINE_TARGETS HWY_AVX3
#include "sort.hpp"
