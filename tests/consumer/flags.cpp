// What a project's compiler is told where it uses kogge.
#include <kogge/exec.hpp>

static_assert(__cplusplus > 201703L);
