// The plan of a segmented sort: it is part of plan.hpp.
#pragma once

#include "kogge/plan.hpp"
