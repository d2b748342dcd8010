// The module kogge._kogge: the functions of kogge.h, on addresses. What an array is, and where, the Python files say.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <tuple>
#include <vector>

#include "dlpack_view.hpp"
#include "functions.hpp"
#include "kogge/kogge.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Address = std::uintptr_t;

template <class T>
T* at(Address address) {
    return reinterpret_cast<T*>(address);  // NOLINT: an address from Python
}
kogge_type type_of(int type) { return static_cast<kogge_type>(type); }

/// NumPy's array interface in C: PyArrayInterface.
struct ArrayInterface {
    int two, dimensions;
    char kind;
    int item_bytes, flags;
    std::intptr_t *shape, *strides;
    void* data;
    PyObject* description;
};

/// Where a NumPy array's items begin. Its other interface, __array_interface__, makes a dictionary and takes longer.
Address address_of(nb::handle array) {
    const auto lent = nb::cast<nb::capsule>(array.attr("__array_struct__"));
    return reinterpret_cast<Address>(static_cast<const ArrayInterface*>(lent.data())->data);
}

/// How a call runs: a stream, and functions of Python's that allocate its scratch.
struct Exec {
    Address stream = 0;
    nb::object allocate = nb::none();    ///< allocate(bytes, stream) → address
    nb::object deallocate = nb::none();  ///< deallocate(address, bytes, stream)
    int threads = 0;
    std::size_t scratch_limit = 0;
    std::exception_ptr refusal;  ///< what `allocate` raised

    kogge_exec filled() {
        refusal = nullptr;
        kogge_exec exec{};
        exec.size = sizeof exec;
        exec.stream = at<void>(stream);
        exec.host_threads = threads;
        exec.scratch_limit = scratch_limit;
        if (!allocate.is_none()) {
            exec.allocate = call_allocate;
            exec.deallocate = call_deallocate;
            exec.context = this;
        }
        return exec;
    }

    static void* call_allocate(void* self, std::size_t bytes, void* stream) {
        const nb::gil_scoped_acquire acquired;
        try {
            const nb::object address = static_cast<Exec*>(self)->allocate(bytes, reinterpret_cast<Address>(stream));
            return at<void>(nb::cast<Address>(address));
        } catch (...) {
            static_cast<Exec*>(self)->refusal = std::current_exception();
        }
        return nullptr;
    }
    static void call_deallocate(void* self, void* memory, std::size_t bytes, void* stream) {
        const nb::gil_scoped_acquire acquired;
        try {
            static_cast<Exec*>(self)->deallocate(reinterpret_cast<Address>(memory), bytes,
                                                 reinterpret_cast<Address>(stream));
        } catch (nb::python_error& failure) {
            failure.discard_as_unraisable("kogge: the allocator of scratch");
        } catch (...) {}
    }
};

struct SortOptions {
    int order = 0, zeros = 0, nans = 0, begin_bit = 0, end_bit = 0;

    kogge_sort_options filled() const {
        kogge_sort_options options{};
        options.size = sizeof options;
        options.order = static_cast<kogge_order>(order);
        options.begin_bit = begin_bit;
        options.end_bit = end_bit;
        options.zeros = static_cast<kogge_zeros>(zeros);
        options.nans = static_cast<kogge_nans>(nans);
        return options;
    }
};

/// The keys of a sort by several columns.
struct Columns {
    std::vector<kogge_column> each;

    void add(Address keys, int type, const SortOptions& by, bool nulls_first, Address valid, std::uint64_t valid_from) {
        kogge_column column{};
        column.size = sizeof column;
        column.keys = at<void>(keys);
        column.type = type_of(type);
        column.order = static_cast<kogge_order>(by.order);
        column.begin_bit = by.begin_bit;
        column.end_bit = by.end_bit;
        column.zeros = static_cast<kogge_zeros>(by.zeros);
        column.nans = static_cast<kogge_nans>(by.nans);
        column.nulls = nulls_first ? KOGGE_NULLS_FIRST : KOGGE_NULLS_LAST;
        column.valid = at<const std::uint32_t>(valid);
        column.valid_from = valid_from;
        each.push_back(column);
    }
};

/// A failed call becomes Python's exception.
void raise(kogge_status status) {
    if (status == KOGGE_OK) return;
    PyObject* kind = PyExc_RuntimeError;
    if (status == KOGGE_INVALID_ARGUMENT || status == KOGGE_OVERLAP) kind = PyExc_ValueError;
    else if (status == KOGGE_OUT_OF_MEMORY) kind = PyExc_MemoryError;
    else if (status == KOGGE_NOT_BUILT) kind = PyExc_NotImplementedError;
    PyErr_SetString(kind, kogge_message());
    throw nb::python_error();
}

/// Makes the call without Python's lock, so that other threads of Python's run meanwhile.
template <class Call>
void run(Exec& exec, const Call& call) {
    const kogge_exec filled = exec.filled();
    kogge_status status = KOGGE_OK;
    {
        const nb::gil_scoped_release released;
        status = call(&filled);
    }
    // The allocator's own exception, which its users catch.
    if (status == KOGGE_OUT_OF_MEMORY && exec.refusal) std::rethrow_exception(exec.refusal);
    raise(status);
}
template <class Call>
void run(const SortOptions& options, Exec& exec, const Call& call) {
    const kogge_sort_options filled = options.filled();
    run(exec, [&](const kogge_exec* how) { return call(&filled, how); });
}
/// A call that returns a number, and waits for it.
template <class Call>
std::uint64_t run_count(Exec& exec, const Call& call) {
    std::uint64_t count = 0;
    run(exec, [&](const kogge_exec* how) { return call(&count, how); });
    return count;
}

/// Plans, and returns (text, scratch bytes, launches).
template <class Call>
std::tuple<std::string, std::uint64_t, int> run_plan(const Call& call) {
    std::string text(16384, '\0');
    kogge_plan plan{};
    plan.size = sizeof plan;
    plan.text = text.data();
    plan.text_bytes = text.size();
    raise(call(&plan));
    text.resize(std::min<std::size_t>(plan.text_length, text.size() - 1));
    return {text, plan.scratch_bytes, plan.launches};
}
const char* device_name(const std::string& device) { return device.empty() ? nullptr : device.c_str(); }

void bind_sorts(nb::module_& m) {
    m.def("radix_sort", [](Address keys, int type, Address out, std::uint64_t n, const SortOptions& by, Exec& exec) {
        run(by, exec, [&](auto* options, auto* how) {
            return kogge_radix_sort(at<void>(keys), type_of(type), at<void>(out), n, options, how);
        });
    });
    m.def("radix_sort_pairs", [](Address keys, int type, Address values, int value_type, Address keys_out,
                                 Address values_out, std::uint64_t n, const SortOptions& by, Exec& exec) {
        run(by, exec, [&](auto* options, auto* how) {
            return kogge_radix_sort_pairs(at<void>(keys), type_of(type), at<void>(values), type_of(value_type),
                                          at<void>(keys_out), at<void>(values_out), n, options, how);
        });
    });
    m.def("argsort", [](Address keys, int type, Address indices, int index_type, std::uint64_t n, const SortOptions& by,
                        Exec& exec) {
        run(by, exec, [&](auto* options, auto* how) {
            return kogge_argsort(at<void>(keys), type_of(type), at<void>(indices), type_of(index_type), n, options,
                                 how);
        });
    });
    m.def("segmented_sort", [](Address keys, int type, Address offsets, Address out, std::uint64_t n,
                               std::uint64_t segments, const SortOptions& by, Exec& exec) {
        run(by, exec, [&](auto* options, auto* how) {
            return kogge_segmented_sort(at<void>(keys), type_of(type), at<const std::uint64_t>(offsets), at<void>(out),
                                        n, segments, options, how);
        });
    });
    m.def("segmented_argsort", [](Address keys, int type, Address offsets, Address indices, int index_type,
                                  std::uint64_t n, std::uint64_t segments, bool of_whole, const SortOptions& by,
                                  Exec& exec) {
        run(by, exec, [&](auto* options, auto* how) {
            return kogge_segmented_argsort(at<void>(keys), type_of(type), at<const std::uint64_t>(offsets), nullptr,
                                           at<void>(indices), type_of(index_type), n, segments, of_whole, options, how);
        });
    });
}

void bind_column_sorts(nb::module_& m) {
    nb::class_<Columns>(m, "Columns").def(nb::init<>()).def("add", &Columns::add);
    const auto arrays_of = [](const std::vector<Address>& addresses) {
        std::vector<void*> arrays;
        for (const Address address : addresses) arrays.push_back(at<void>(address));
        return arrays;
    };
    m.def("radix_sort_columns",
          [=](const Columns& columns, const std::vector<Address>& out, std::uint64_t n, Exec& exec) {
              const std::vector<void*> keys_out = arrays_of(out);
              run(exec, [&](auto* how) {
                  return kogge_radix_sort_columns(columns.each.data(), columns.each.size(), keys_out.data(), n, how);
              });
          });
    m.def("radix_sort_columns_pairs", [=](const Columns& columns, Address values, int value_type,
                                          const std::vector<Address>& out, Address values_out, std::uint64_t n,
                                          Exec& exec) {
        const std::vector<void*> keys_out = arrays_of(out);
        run(exec, [&](auto* how) {
            return kogge_radix_sort_columns_pairs(columns.each.data(), columns.each.size(), at<void>(values),
                                                  type_of(value_type), keys_out.data(), at<void>(values_out), n, how);
        });
    });
    m.def("argsort_columns", [](const Columns& columns, Address indices, int index_type, std::uint64_t n, Exec& exec) {
        run(exec, [&](auto* how) {
            return kogge_argsort_columns(columns.each.data(), columns.each.size(), at<void>(indices),
                                         type_of(index_type), n, how);
        });
    });
}

void bind_top_k(nb::module_& m) {
    m.def("top_k",
          [](Address keys, int type, Address out, std::uint64_t n, std::uint64_t k, const SortOptions& by, Exec& exec) {
              run(by, exec, [&](auto* options, auto* how) {
                  return kogge_top_k(at<void>(keys), type_of(type), at<void>(out), n, k, options, how);
              });
          });
    m.def("arg_top_k", [](Address keys, int type, Address out, Address indices, int index_type, std::uint64_t n,
                          std::uint64_t k, const SortOptions& by, Exec& exec) {
        run(by, exec, [&](auto* options, auto* how) {
            return kogge_arg_top_k(at<void>(keys), type_of(type), at<void>(out), at<void>(indices), type_of(index_type),
                                   n, k, options, how);
        });
    });
    m.def("segmented_top_k",
          [](Address keys, int type, Address offsets, Address out, Address indices, int index_type, std::uint64_t n,
             std::uint64_t segments, std::uint64_t k, const SortOptions& by, Exec& exec) {
              run(by, exec, [&](auto* options, auto* how) {
                  return kogge_segmented_top_k(at<void>(keys), type_of(type), nullptr, KOGGE_NONE,
                                               at<const std::uint64_t>(offsets), at<void>(out), nullptr,
                                               at<void>(indices), type_of(index_type), n, segments, k, options, how);
              });
          });
}

void bind_ranks(nb::module_& m) {
    m.def("select", [](Address keys, int type, Address out, std::uint64_t n, std::uint64_t rank, const SortOptions& by,
                       Exec& exec) {
        run(by, exec, [&](auto* options, auto* how) {
            return kogge_select(at<void>(keys), type_of(type), at<void>(out), n, rank, options, how);
        });
    });
    m.def("quantiles", [](Address keys, int type, Address ranks, Address out, std::uint64_t n, std::uint64_t count,
                          const SortOptions& by, Exec& exec) {
        run(by, exec, [&](auto* options, auto* how) {
            return kogge_quantiles(at<void>(keys), type_of(type), at<const std::uint64_t>(ranks), at<void>(out), n,
                                   count, options, how);
        });
    });
    m.def("rows_select", [](Address keys, int type, Address out, std::uint64_t n, std::uint64_t rows,
                            std::uint64_t rank, const SortOptions& by, Exec& exec) {
        run(by, exec, [&](auto* options, auto* how) {
            return kogge_segmented_select(at<void>(keys), type_of(type), nullptr, nullptr, at<void>(out), n, rows, rank,
                                          options, how);
        });
    });
}

void bind_compactions(nb::module_& m) {
    m.def("compact_flags", [](Address in, int type, Address flags, Address out, std::uint64_t n, Exec& exec) {
        return run_count(exec, [&](std::uint64_t* kept, auto* how) {
            return kogge_compact_flags(at<void>(in), type_of(type), at<const std::uint8_t>(flags), at<void>(out), kept,
                                       n, how);
        });
    });
    m.def("partition",
          [](Address in, int type, Address out, std::uint64_t n, int relation, nb::bytes value, Exec& exec) {
              return run_count(exec, [&](std::uint64_t* boundary, auto* how) {
                  return kogge_partition(at<void>(in), type_of(type), at<void>(out), nullptr, boundary, n,
                                         static_cast<kogge_relation>(relation), value.c_str(), how);
              });
          });
    m.def("partition_flags", [](Address in, int type, Address flags, Address out, std::uint64_t n, Exec& exec) {
        return run_count(exec, [&](std::uint64_t* boundary, auto* how) {
            return kogge_partition_flags(at<void>(in), type_of(type), at<const std::uint8_t>(flags), at<void>(out),
                                         nullptr, boundary, n, how);
        });
    });
    m.def("nonzero", [](Address in, int type, Address indices, int index_type, std::uint64_t n, Exec& exec) {
        return run_count(exec, [&](std::uint64_t* count, auto* how) {
            return kogge_nonzero(at<void>(in), type_of(type), at<void>(indices), type_of(index_type), count, n, how);
        });
    });
    m.def("split", [](Address keys, int type, Address values, int value_type, Address keys_out, Address values_out,
                      Address offsets, std::uint64_t n, std::uint32_t bins, Exec& exec) {
        run(exec, [&](auto* how) {
            return kogge_split(at<void>(keys), type_of(type), at<void>(values), type_of(value_type), at<void>(keys_out),
                               at<void>(values_out), at<std::uint64_t>(offsets), n, bins, 0, 0, how);
        });
    });
    m.def("unique", [](Address in, int type, Address out, std::uint64_t n, Exec& exec) {
        return run_count(exec, [&](std::uint64_t* runs, auto* how) {
            return kogge_unique(at<void>(in), type_of(type), at<void>(out), runs, n, how);
        });
    });
    m.def("run_length_encode",
          [](Address in, int type, Address out, Address lengths, int length_type, std::uint64_t n, Exec& exec) {
              return run_count(exec, [&](std::uint64_t* runs, auto* how) {
                  return kogge_run_length_encode(at<void>(in), type_of(type), at<void>(out), at<void>(lengths),
                                                 type_of(length_type), runs, n, how);
              });
          });
}

/// A scan of any kind: by keys, of segments, or neither (both addresses 0). init: bytes of an item; no bytes: there is
/// none.
void scan(Address keys, int key_type, Address offsets, std::uint64_t segments, Address in, int type, Address out,
          int out_type, std::uint64_t n, int op, bool exclusive, bool reverse, const nb::bytes& init, Exec& exec) {
    kogge_scan_options options{};
    options.size = sizeof options;
    options.op = static_cast<kogge_operator>(op);
    options.exclusive = exclusive;
    options.reverse = reverse;
    if (init.size() > 0) options.init = init.c_str();
    run(exec, [&](auto* how) {
        if (key_type != KOGGE_NONE)
            return kogge_scan_by_key(at<void>(keys), type_of(key_type), at<void>(in), type_of(type), at<void>(out),
                                     type_of(out_type), n, &options, how);
        if (offsets != 0 || segments != 0)
            return kogge_segmented_scan(at<void>(in), type_of(type), at<const std::uint64_t>(offsets), at<void>(out),
                                        type_of(out_type), n, segments, &options, how);
        return kogge_scan(at<void>(in), type_of(type), at<void>(out), type_of(out_type), n, &options, how);
    });
}

kogge_reduce_options reduce_options(int op, const nb::bytes& init) {
    kogge_reduce_options options{};
    options.size = sizeof options;
    options.op = static_cast<kogge_operator>(op);
    if (init.size() > 0) options.init = init.c_str();
    return options;
}

void bind_reductions(nb::module_& m) {
    m.def("reduce", [](Address in, int type, Address out, int out_type, std::uint64_t n, int op, const nb::bytes& init,
                       Exec& exec) {
        const kogge_reduce_options options = reduce_options(op, init);
        run(exec, [&](auto* how) {
            return kogge_reduce(at<void>(in), type_of(type), at<void>(out), type_of(out_type), n, &options, how);
        });
    });
    m.def("segmented_reduce", [](Address in, int type, Address offsets, Address out, int out_type, std::uint64_t n,
                                 std::uint64_t segments, int op, const nb::bytes& init, Exec& exec) {
        const kogge_reduce_options options = reduce_options(op, init);
        run(exec, [&](auto* how) {
            return kogge_segmented_reduce(at<void>(in), type_of(type), at<const std::uint64_t>(offsets), at<void>(out),
                                          type_of(out_type), n, segments, &options, how);
        });
    });
    m.def("reduce_by_key", [](Address keys, int key_type, Address values, int type, Address keys_out, Address sums,
                              int sum_type, std::uint64_t n, int op, Exec& exec) {
        return run_count(exec, [&](std::uint64_t* runs, auto* how) {
            return kogge_reduce_by_key(at<void>(keys), type_of(key_type), at<void>(values), type_of(type),
                                       at<void>(keys_out), at<void>(sums), type_of(sum_type), runs, n,
                                       static_cast<kogge_operator>(op), how);
        });
    });
    m.def("arg_min", [](Address in, int type, Address index, std::uint64_t n, Exec& exec) {
        run(exec, [&](auto* how) {
            return kogge_arg_min(at<void>(in), type_of(type), nullptr, at<std::uint64_t>(index), n, how);
        });
    });
    m.def("arg_max", [](Address in, int type, Address index, std::uint64_t n, Exec& exec) {
        run(exec, [&](auto* how) {
            return kogge_arg_max(at<void>(in), type_of(type), nullptr, at<std::uint64_t>(index), n, how);
        });
    });
}

void bind_sorted(nb::module_& m) {
    m.def("search", [](bool upper, Address sorted, Address needles, int type, Address out, int index_type,
                       std::uint64_t n, std::uint64_t count, Exec& exec) {
        run(exec, [&](auto* how) {
            return (upper ? kogge_upper_bound : kogge_lower_bound)(at<void>(sorted), at<void>(needles), type_of(type),
                                                                   at<void>(out), type_of(index_type), n, count, how);
        });
    });
    m.def("merge", [](Address a, Address b, int type, Address out, std::uint64_t n_a, std::uint64_t n_b, Exec& exec) {
        run(exec, [&](auto* how) {
            return kogge_merge(at<void>(a), at<void>(b), type_of(type), at<void>(out), n_a, n_b, how);
        });
    });
    m.def("merge_pairs", [](Address a, Address values_a, Address b, Address values_b, int type, int value_type,
                            Address out, Address values_out, std::uint64_t n_a, std::uint64_t n_b, Exec& exec) {
        run(exec, [&](auto* how) {
            return kogge_merge_pairs(at<void>(a), at<void>(values_a), at<void>(b), at<void>(values_b), type_of(type),
                                     type_of(value_type), at<void>(out), at<void>(values_out), n_a, n_b, how);
        });
    });
}

/// A histogram by bounds, or, where these are null, by even bins between the bytes of two numbers.
void histogram(Address in, int type, Address weights, int weight_type, Address counts, int count_type, std::uint64_t n,
               std::uint64_t rows, std::uint32_t bins, Address bounds, const nb::bytes& lower, const nb::bytes& upper,
               Exec& exec) {
    run(exec, [&](auto* how) {
        if (bounds != 0)
            return kogge_histogram_bounds(at<void>(in), type_of(type), at<void>(weights), type_of(weight_type),
                                          at<void>(bounds), at<void>(counts), type_of(count_type), n, rows, bins, how);
        return kogge_histogram_even(at<void>(in), type_of(type), at<void>(weights), type_of(weight_type),
                                    at<void>(counts), type_of(count_type), n, rows, bins, lower.c_str(), upper.c_str(),
                                    how);
    });
}

void bind_plans(nb::module_& m) {
    m.def("plan_radix_sort", [](int type, int value_type, bool in_place, std::uint64_t n, const SortOptions& by,
                                Exec& exec, const std::string& device) {
        const kogge_sort_options options = by.filled();
        const kogge_exec how = exec.filled();
        return run_plan([&](kogge_plan* plan) {
            return kogge_plan_radix_sort(type_of(type), type_of(value_type), in_place, n, &options, &how,
                                         device_name(device), plan);
        });
    });
    m.def("plan_argsort", [](int type, int index_type, std::uint64_t n, const SortOptions& by, Exec& exec,
                             const std::string& device) {
        const kogge_sort_options options = by.filled();
        const kogge_exec how = exec.filled();
        return run_plan([&](kogge_plan* plan) {
            return kogge_plan_argsort(type_of(type), type_of(index_type), n, &options, &how, device_name(device), plan);
        });
    });
    m.def("plan_top_k", [](int type, bool writes_keys, int index_type, std::uint64_t n, std::uint64_t k,
                           const SortOptions& by, Exec& exec, const std::string& device) {
        const kogge_sort_options options = by.filled();
        const kogge_exec how = exec.filled();
        return run_plan([&](kogge_plan* plan) {
            return kogge_plan_top_k(type_of(type), writes_keys, type_of(index_type), KOGGE_NONE, n, k, &options, &how,
                                    device_name(device), plan);
        });
    });
    m.def("plan_compact", [](int type, bool keeps_rejected, std::uint64_t n, const std::string& device) {
        return run_plan([&](kogge_plan* plan) {
            return kogge_plan_compact(type_of(type), keeps_rejected, 0, n, device_name(device), plan);
        });
    });
    m.def("plan_scan", [](int type, int out_type, std::uint64_t n, const std::string& device) {
        return run_plan([&](kogge_plan* plan) {
            return kogge_plan_scan(type_of(type), type_of(out_type), n, device_name(device), plan);
        });
    });
}

}  // namespace

NB_MODULE(_kogge, m) {
    nb::class_<Exec>(m, "Exec")
        .def(nb::init<>())
        .def_rw("stream", &Exec::stream)
        .def_rw("allocate", &Exec::allocate)
        .def_rw("deallocate", &Exec::deallocate)
        .def_rw("threads", &Exec::threads)
        .def_rw("scratch_limit", &Exec::scratch_limit);
    nb::class_<SortOptions>(m, "SortOptions")
        .def(
            "__init__",
            [](SortOptions* self, int order, int zeros, int nans, int begin_bit, int end_bit) {
                new (self) SortOptions{order, zeros, nans, begin_bit, end_bit};
            },
            "order"_a, "zeros"_a, "nans"_a, "begin_bit"_a, "end_bit"_a);
    m.def("version", [] { return std::string(kogge_version()); });
    m.def("runtime", [] { return std::string(kogge_runtime()); });
    m.def("device_count", [] { return kogge_device_count(); });
    m.def("known_device", [](int i) -> nb::object {
        const char* const name = kogge_known_devices(i);
        if (!name) return nb::none();
        return nb::str(name);
    });
    m.def("synchronize", [](Address stream) {
        kogge_status status = KOGGE_OK;
        {
            const nb::gil_scoped_release released;
            status = kogge_synchronize(at<void>(stream));
        }
        raise(status);
    });
    m.def("address_of", address_of);
    m.def("trim", [](std::uint64_t bytes_to_keep) {
        std::uint64_t held = 0;
        raise(kogge_trim(bytes_to_keep, &held));
        return held;
    });
    bind_sorts(m);
    bind_column_sorts(m);
    bind_top_k(m);
    bind_compactions(m);
    m.def("scan", scan);
    bind_ranks(m);
    bind_reductions(m);
    bind_sorted(m);
    m.def("histogram", histogram);
    bind_plans(m);
    bind_dlpack(m);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): what is lent is only read
    m.def("functions", [] { return nb::capsule(const_cast<Functions*>(&kFunctions), kFunctionsName); });
}
