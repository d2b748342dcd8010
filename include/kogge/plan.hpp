// What a call will do: pure functions of (n, types, options, device properties). They need no GPU; the launchers follow
// the same plan, and scratch_bytes is the size of the workspace. The numbers that plans and kernels agree on, and the
// layout of scratch, stand beside the kernels, in the shape.hpp and scratch.hpp of their folders.
#pragma once

#include "kogge/plan/compact.hpp"
#include "kogge/plan/emit.hpp"
#include "kogge/plan/histogram.hpp"
#include "kogge/plan/merge.hpp"
#include "kogge/plan/radix_sort.hpp"
#include "kogge/plan/reduce.hpp"
#include "kogge/plan/runs.hpp"
#include "kogge/plan/scan.hpp"
#include "kogge/plan/search.hpp"
#include "kogge/plan/segmented/reduce.hpp"
#include "kogge/plan/segmented/select.hpp"
#include "kogge/plan/segmented/sort.hpp"
#include "kogge/plan/segmented/top_k.hpp"
#include "kogge/plan/select.hpp"
#include "kogge/plan/top_k.hpp"
#include "kogge/plan/typed.hpp"
