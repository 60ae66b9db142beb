package io.fjordmq.range.placement;

import org.jspecify.annotations.Nullable;

/**
 * A change of a range's replicas in a plan.
 *
 * @param description description of the change, such as "removing the replica on node c"
 * @param reason reason why an operator cannot cancel it, and what to do instead; null if it can be
 *     canceled
 */
record ReplicaChange(String description, @Nullable String reason) {
  boolean isCancelable() {
    return reason == null;
  }
}
