package io.fjordmq.broker.training.seeded;

import io.fjordmq.broker.delivery.SessionRegistry;

/** A training load that sees more of the broker than its port. */
public final class LoadThatKnowsSessions {
  private LoadThatKnowsSessions() {}

  static boolean isFull(SessionRegistry registry) {
    return registry.hasCapacity();
  }
}
