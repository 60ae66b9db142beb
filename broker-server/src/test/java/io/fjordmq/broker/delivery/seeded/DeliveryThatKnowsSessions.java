package io.fjordmq.broker.delivery.seeded;

import io.fjordmq.broker.session.Sessions;

/** A delivery that depends on the session of a client. */
public final class DeliveryThatKnowsSessions {
  private DeliveryThatKnowsSessions() {}

  static int count(Sessions sessions) {
    return sessions.size();
  }
}
