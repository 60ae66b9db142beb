package io.fjordmq.range.client;

import io.fjordmq.range.RangeDescriptor;

/** A range and the batcher for its commands. Compared by identity: one per descriptor. */
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
