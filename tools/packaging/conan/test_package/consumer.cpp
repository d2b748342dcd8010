#include <cstdint>
#include <kogge/kogge.hpp>
#include <vector>

int main() {
    std::vector<std::uint32_t> keys{3, 1, 2};
    kogge::radix_sort(keys.data(), keys.size());
    return keys == std::vector<std::uint32_t>{1, 2, 3} ? 0 : 1;
}
