// Whom the host backend is measured against: the standard library, and Thrust's host systems as far as the build has
// them (KOGGE_BENCH_THRUST_CPP, _OMP and _TBB). All have the same members.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#if KOGGE_BENCH_THRUST
#include <thrust/copy.h>
#include <thrust/partition.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system/cpp/execution_policy.h>
#include <thrust/version.h>
#if defined(_OPENMP)
#include <thrust/system/omp/execution_policy.h>
#endif
#if KOGGE_BENCH_TBB
#include <thrust/system/tbb/execution_policy.h>
#endif
#endif

namespace bench {

/// std::, on one thread.
struct Std {
    static std::string name() { return "std"; }
    template <class In, class Out>
    void inclusive_scan(In first, In last, Out out) const {
        std::inclusive_scan(first, last, out);
    }
    template <class In, class Out, class T>
    void exclusive_scan(In first, In last, Out out, T init) const {
        std::exclusive_scan(first, last, out, init);
    }
    template <class In, class Out, class Predicate>
    Out copy_if(In first, In last, Out out, Predicate predicate) const {
        return std::copy_if(first, last, out, predicate);
    }
    template <class It, class Predicate>
    void stable_partition(It first, It last, Predicate predicate) const {
        std::stable_partition(first, last, predicate);
    }
    template <class It>
    void sort(It first, It last) const {
        std::sort(first, last);
    }

    template <class T>
    struct Pairs {
        std::vector<std::pair<T, T>> items;
        void set(const std::vector<T>& keys, const std::vector<T>& values) {
            items.resize(keys.size());
            for (std::size_t i = 0; i < keys.size(); ++i) items[i] = {keys[i], values[i]};
        }
        bool are(const std::vector<T>& keys, const std::vector<T>& values) const {
            for (std::size_t i = 0; i < items.size(); ++i)
                if (items[i] != std::pair(keys[i], values[i])) return false;
            return true;
        }
    };
    template <class T>
    void sort_pairs(Pairs<T>& pairs) const {
        const auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
        std::stable_sort(pairs.items.begin(), pairs.items.end(), by_key);
    }
};

#if KOGGE_BENCH_THRUST
/// Thrust's algorithms under one of its policies.
template <class Policy>
struct Thrust {
    Policy policy;
    const char* system;

    std::string name() const { return std::string("thrust_") + system; }
    template <class In, class Out>
    void inclusive_scan(In first, In last, Out out) const {
        thrust::inclusive_scan(policy, first, last, out);
    }
    template <class In, class Out, class T>
    void exclusive_scan(In first, In last, Out out, T init) const {
        thrust::exclusive_scan(policy, first, last, out, init);
    }
    template <class In, class Out, class Predicate>
    Out copy_if(In first, In last, Out out, Predicate predicate) const {
        return thrust::copy_if(policy, first, last, out, predicate);
    }
    template <class It, class Predicate>
    void stable_partition(It first, It last, Predicate predicate) const {
        thrust::stable_partition(policy, first, last, predicate);
    }
    template <class It>
    void sort(It first, It last) const {
        thrust::sort(policy, first, last);
    }

    template <class T>
    struct Pairs {
        std::vector<T> keys, values;
        void set(const std::vector<T>& all_keys, const std::vector<T>& all_values) {
            keys = all_keys;
            values = all_values;
        }
        bool are(const std::vector<T>& other_keys, const std::vector<T>& other_values) const {
            return keys == other_keys && values == other_values;
        }
    };
    template <class T>
    void sort_pairs(Pairs<T>& pairs) const {
        thrust::stable_sort_by_key(policy, pairs.keys.begin(), pairs.keys.end(), pairs.values.begin());
    }
};
#endif

template <class Use>
void for_each_rival(const Use& use) {
    use(Std{});
#if KOGGE_BENCH_THRUST
    use(Thrust<decltype(thrust::cpp::par)>{thrust::cpp::par, "cpp"});
#if defined(_OPENMP)
    use(Thrust<decltype(thrust::omp::par)>{thrust::omp::par, "omp"});
#endif
#if KOGGE_BENCH_TBB
    use(Thrust<decltype(thrust::tbb::par)>{thrust::tbb::par, "tbb"});
#endif
#endif
}

inline std::string thrust_version() {
#if KOGGE_BENCH_THRUST
    return std::to_string(THRUST_MAJOR_VERSION) + '.' + std::to_string(THRUST_MINOR_VERSION) + '.' +
           std::to_string(THRUST_SUBMINOR_VERSION);
#else
    return "none";
#endif
}

}  // namespace bench
