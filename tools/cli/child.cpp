// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "host/engine/pair.h"
#include "host/error.h"
#include "host/write.h"
#include "tools/cli/text.h"

extern char** environ;

namespace rhomb::cli {
namespace {

[[noreturn]] void fail(const char* what, int code) {
  throw Error(Kind::kInternal,
              text_of("cannot start a process: ", what, ": ", std::strerror(code)));
}

}  // namespace

Child::Child(const std::vector<std::string>& arguments) {
  int down[2], up[2];
  if (::pipe2(down, O_CLOEXEC) != 0) fail("pipe", errno);
  if (::pipe2(up, O_CLOEXEC) != 0) {
    ::close(down[0]);
    ::close(down[1]);
    fail("pipe", errno);
  }
  std::vector<std::string> words = {"rhomb"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, down[0], 0);
  ::posix_spawn_file_actions_adddup2(&actions, up[1], 1);
  const int code =
      ::posix_spawn(&process_, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(down[0]);
  ::close(up[1]);
  to_ = down[1];
  from_ = up[0];
  if (code != 0) {
    process_ = -1;
    ::close(to_);
    ::close(from_);
    fail("posix_spawn", code);
  }
}

Child::~Child() {
  end(true);
  ::close(to_);
  ::close(from_);
}

std::string Child::end(bool kill) {
  if (process_ <= 0) return "";
  if (kill) ::kill(process_, SIGKILL);
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  if (WIFSIGNALED(status))
    return text_of("was killed by signal ", std::to_string(WTERMSIG(status)), " (",
                   ::strsignal(WTERMSIG(status)), ")");
  return text_of("ended with exit code ", std::to_string(WEXITSTATUS(status)));
}

Child::Reply Child::ask(const std::string& line, double seconds) {
  if (!write_all(to_, line + "\n")) return {std::nullopt, false, end(true)};  // SIGPIPE is ignored
  return hear(seconds);
}

Child::Reply Child::hear(double seconds) {
  const double until = now() + seconds;
  for (;;) {
    const std::size_t ending = heard_.find('\n');
    if (ending != std::string::npos) {
      Reply reply{heard_.substr(0, ending), false, ""};
      heard_.erase(0, ending + 1);
      return reply;
    }
    const double left = until - now();
    if (left <= 0) return {std::nullopt, true, end(true)};
    pollfd ready{from_, POLLIN, 0};
    const int wait = static_cast<int>(std::min(std::ceil(left * 1000), 1e6));
    if (::poll(&ready, 1, wait) <= 0) continue;
    char buffer[4096];
    const ssize_t count = ::read(from_, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {std::nullopt, false, end(false)};
    heard_.append(buffer, static_cast<std::size_t>(count));
  }
}

void end_with_parent() { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }

}  // namespace rhomb::cli
