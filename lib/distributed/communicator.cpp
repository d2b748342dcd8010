#include "kogge/distributed/communicator.hpp"

#include <vector>

namespace kogge {

void communicator::all_gather(const void* mine, void* all, std::size_t bytes) {
    const auto ranks = static_cast<std::size_t>(size());
    const std::vector<outgoing> to(ranks, outgoing{mine, bytes});
    std::vector<incoming> from(ranks);
    for (std::size_t r = 0; r < ranks; ++r) from[r] = {static_cast<std::byte*>(all) + r * bytes, bytes};
    exchange(to, from, backend::host, nullptr);
}

void communicator::all_sum(std::uint64_t* numbers, std::size_t count) {
    const auto ranks = static_cast<std::size_t>(size()), mine = static_cast<std::size_t>(rank());
    if (ranks == 1 || count == 0) return;
    constexpr std::size_t kFew = 8192;  // numbers, of all ranks: one exchange
    if (count * ranks <= kFew) {
        std::vector<std::uint64_t> all(count * ranks);
        all_gather(numbers, all.data(), count * sizeof *numbers);
        for (std::size_t i = 0; i < count; ++i) {
            numbers[i] = 0;
            for (std::size_t r = 0; r < ranks; ++r) numbers[i] += all[r * count + i];
        }
        return;
    }
    const auto begin = [&](std::size_t r) { return count * r / ranks; };
    const auto bytes = [&](std::size_t r) { return (begin(r + 1) - begin(r)) * sizeof *numbers; };
    const std::size_t part = begin(mine + 1) - begin(mine);
    std::vector<std::uint64_t> parts(part * ranks);
    std::vector<outgoing> to(ranks);
    std::vector<incoming> from(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
        to[r] = {numbers + begin(r), bytes(r)};
        from[r] = {parts.data() + r * part, bytes(mine)};
    }
    exchange(to, from, backend::host, nullptr);
    std::vector<std::uint64_t> sums(part, 0);
    for (std::size_t r = 0; r < ranks; ++r)
        for (std::size_t i = 0; i < part; ++i) sums[i] += parts[r * part + i];
    for (std::size_t r = 0; r < ranks; ++r) {
        to[r] = {sums.data(), bytes(mine)};
        from[r] = {numbers + begin(r), bytes(r)};
    }
    exchange(to, from, backend::host, nullptr);
}

}  // namespace kogge
