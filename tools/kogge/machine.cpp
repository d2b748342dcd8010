#include "machine.hpp"

#include "failure.hpp"
#include "kogge/host/machine/processors.hpp"

namespace kogge::command {

std::string Machine::name() const {
    if (where_ == backend::device) return simt::current_properties().name;
    const int threads = threads_ > 0 ? threads_ : static_cast<int>(host::usable_processors());
    return "host, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

Machine choose_machine(const MachineChoice& choice) {
    const bool any = choice.where != backend::host && simt::device_count() > 0;
    if (choice.where == backend::device && !any)
        throw Failure("there is no device",
                      "kogge info lists what there is; --backend auto takes the host where there is no device");
    return {any ? backend::device : backend::host, choice.threads};
}

}  // namespace kogge::command
