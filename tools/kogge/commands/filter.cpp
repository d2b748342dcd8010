#include "commands/filter.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "failure.hpp"

namespace kogge::command {
namespace {

class Pipe {
public:
    Pipe() {
        if (pipe2(ends_, O_CLOEXEC) != 0) throw system_failure("cannot make a pipe");
    }
    ~Pipe() {
        close_reader();
        close_writer();
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    int reader() const { return ends_[0]; }
    int writer() const { return ends_[1]; }
    void close_reader() { close_end(0); }
    void close_writer() { close_end(1); }

private:
    void close_end(int end) {
        if (ends_[end] >= 0) close(ends_[end]);
        ends_[end] = -1;
    }
    int ends_[2] = {-1, -1};
};

/// A reader that stops early (EPIPE) is not the writer's business.
void write_all(int descriptor, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t part = write(descriptor, text.data() + done, text.size() - done);
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) return;
        done += static_cast<std::size_t>(part);
    }
}

std::string read_all(int descriptor) {
    std::string text;
    char buffer[1 << 16];
    while (true) {
        const ssize_t part = read(descriptor, buffer, sizeof buffer);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return text;
        text.append(buffer, static_cast<std::size_t>(part));
    }
}

/// The environment, with LC_ALL=C: sort and awk go by the locale.
std::vector<std::string> plain_environment() {
    std::vector<std::string> all;
    for (char** each = environ; *each; ++each)
        if (std::string(*each).rfind("LC_ALL=", 0) != 0) all.emplace_back(*each);
    all.emplace_back("LC_ALL=C");
    return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace

std::optional<std::string> run_filter(const std::vector<std::string>& words, const std::string& input) {
    std::vector<std::string> arguments = words, environment = plain_environment();
    Pipe to, from;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to.reader(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from.writer(), STDOUT_FILENO);
    pid_t child = 0;
    const int problem = posix_spawnp(&child, words[0].c_str(), &actions, nullptr, pointers_to(arguments).data(),
                                     pointers_to(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    if (problem == ENOENT) return std::nullopt;
    if (problem != 0) {
        errno = problem;
        throw system_failure("cannot start " + words[0]);
    }
    to.close_reader();
    from.close_writer();
    std::thread writer([&] {
        write_all(to.writer(), input);
        to.close_writer();
    });
    std::string output = read_all(from.reader());
    writer.join();
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw Failure(words[0] + " failed");
    return output;
}

}  // namespace kogge::command
