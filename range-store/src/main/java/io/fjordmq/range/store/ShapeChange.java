package io.fjordmq.range.store;

import io.fjordmq.range.RangeDescriptor;
import org.jspecify.annotations.Nullable;

/** What an entry has made of a range. */
sealed interface ShapeChange permits RangeSplit.Cut, RangeMerge.Widened, RangeMerge.Kept {
  /** As it is now. */
  RangeDescriptor range();

  /** For which merge it stands still now; null if it does not. */
  default @Nullable FreezeRecord frozen() {
    return null;
  }
}
