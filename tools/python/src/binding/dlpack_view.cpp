#include "dlpack_view.hpp"

#include <cstring>

namespace nb = nanobind;

namespace dlpack {

Borrowed::Borrowed(nb::object capsule) {
    PyObject* const object = capsule.ptr();
    if (PyCapsule_IsValid(object, "dltensor_versioned")) {
        auto* const versioned = static_cast<ManagedVersioned*>(PyCapsule_GetPointer(object, "dltensor_versioned"));
        if (versioned->major != 1) throw nb::value_error("this DLPack is of another major version than 1");
        PyCapsule_SetName(object, "used_dltensor_versioned");
        versioned_ = versioned;
    } else if (PyCapsule_IsValid(object, "dltensor")) {
        managed_ = static_cast<Managed*>(PyCapsule_GetPointer(object, "dltensor"));
        PyCapsule_SetName(object, "used_dltensor");
    } else {
        throw nb::type_error("__dlpack__ has given no DLPack capsule, or one that is used already");
    }
}

Borrowed::~Borrowed() {
    if (managed_ && managed_->deleter) managed_->deleter(managed_);
    if (versioned_ && versioned_->deleter) versioned_->deleter(versioned_);
}

bool Borrowed::is_contiguous() const {
    const Tensor& of = tensor();
    if (!of.strides) return true;
    std::int64_t expected = 1;
    for (std::int32_t d = of.ndim; d-- > 0;) {
        if (of.shape[d] == 0) return true;
        if (of.shape[d] != 1 && of.strides[d] != expected) return false;
        expected *= of.shape[d];
    }
    return true;
}

}  // namespace dlpack

void bind_dlpack(nb::module_& m) {
    using dlpack::Borrowed;
    nb::class_<Borrowed>(m, "Borrowed")
        .def(nb::init<nb::object>())
        .def_prop_ro("address",
                     [](const Borrowed& self) {
                         return reinterpret_cast<std::uintptr_t>(self.tensor().data) + self.tensor().byte_offset;
                     })
        .def_prop_ro("shape",
                     [](const Borrowed& self) {
                         nb::list shape;
                         for (std::int32_t d = 0; d < self.tensor().ndim; ++d) shape.append(self.tensor().shape[d]);
                         return nb::tuple(shape);
                     })
        .def_prop_ro(
            "device",
            [](const Borrowed& self) { return nb::make_tuple(self.tensor().device.type, self.tensor().device.id); })
        .def_prop_ro("dtype",
                     [](const Borrowed& self) {
                         const dlpack::DataType& dtype = self.tensor().dtype;
                         return nb::make_tuple(int{dtype.code}, int{dtype.bits}, int{dtype.lanes});
                     })
        .def_prop_ro("read_only", &Borrowed::is_read_only)
        .def_prop_ro("contiguous", &Borrowed::is_contiguous);
}
