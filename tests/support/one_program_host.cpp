// The plain C++ file of one_program_test.cpp.
#include "support/one_program.hpp"

namespace one_program {

Found find_on_host(const int* in, std::uint64_t n, int* out) { return find(in, n, out); }

}  // namespace one_program
