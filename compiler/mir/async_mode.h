// How functions with frames are compiled, set once by the driver. Naive is what the other is tested against: every local is saved at every
// suspension, nothing shares a place, no async function is left plain, and every await goes through its frame, ready or not. The order in which
// tasks run is the same in both.
#pragma once

namespace meteor::mir {

enum class AsyncMode { Optimised, Naive };

inline AsyncMode async_mode = AsyncMode::Optimised;

inline bool naive_async() { return async_mode == AsyncMode::Naive; }

}  // namespace meteor::mir
