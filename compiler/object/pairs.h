// Loads and stores of values of several words → of one word each. LLVM's quick instruction selector knows no others:
// where it meets one, the slow selector takes over the rest of the block.
#pragma once

namespace llvm {
class Module;
}

namespace meteor::object {

void split_pairs(llvm::Module& module);

}  // namespace meteor::object
