package io.fjordmq.broker.limits.seeded;

import io.fjordmq.broker.delivery.SessionRegistry;

/** A limit that depends on the publish path. */
public final class QuotaThatKnowsThePath {
  private QuotaThatKnowsThePath() {}

  static boolean isFull(SessionRegistry registry) {
    return registry.hasCapacity();
  }
}
