package io.fjordmq.broker.slow.seeded;

import io.fjordmq.broker.session.Sessions;

/** Violates the rule that the list of slow subscriptions knows nothing about who reports. */
public final class LatencyThatKnowsSessions {
  private final Sessions sessions;

  LatencyThatKnowsSessions(Sessions sessions) {
    this.sessions = sessions;
  }

  int clients() {
    return sessions.size();
  }
}
