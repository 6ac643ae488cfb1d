// How large a terminal is.
#include <sys/ioctl.h>
#include <unistd.h>

#include "runtime/abi/abi.h"

// False: the descriptor is no terminal. One that does not know its size says 0.
extern "C" bool met_terminal_size(int64_t fd, int64_t* columns, int64_t* rows) {
  if (!isatty(int(fd))) return false;
  winsize size = {};
  ioctl(int(fd), TIOCGWINSZ, &size);
  *columns = size.ws_col;
  *rows = size.ws_row;
  return true;
}
