package io.fjordmq.range.client;

import io.fjordmq.range.RangeDescriptor;

/** Where the commands for an interval of keys go. Compared by identity: one per descriptor. */
final class RangeRoute {
  private final RangeDescriptor descriptor;
  private final MutationBatcher batcher;

  RangeRoute(RangeDescriptor descriptor, MutationBatcher batcher) {
    this.descriptor = descriptor;
    this.batcher = batcher;
  }

  RangeDescriptor descriptor() {
    return descriptor;
  }

  MutationBatcher batcher() {
    return batcher;
  }
}
