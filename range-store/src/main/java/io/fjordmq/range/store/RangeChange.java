package io.fjordmq.range.store;

import io.fjordmq.range.RangeDescriptor;
import org.jspecify.annotations.Nullable;

/** How an applied entry has changed a range. */
sealed interface RangeChange
    permits RangeSplit.AppliedSplit, RangeMerge.AppliedMerge, RangeMerge.FreezeOrEpochChange {
  /** Returns the range as it is now. */
  RangeDescriptor range();

  /** Returns the merge that the range is now frozen for; null if it is not frozen. */
  default @Nullable FreezeRecord frozen() {
    return null;
  }
}
