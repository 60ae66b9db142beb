package io.fjordmq.broker.telemetry.seeded;

import io.fjordmq.broker.session.Sessions;

/** Violates the rule that spans know nothing about what they measure. */
public final class TracerThatKnowsSessions {
  private final Sessions sessions;

  TracerThatKnowsSessions(Sessions sessions) {
    this.sessions = sessions;
  }

  int clients() {
    return sessions.size();
  }
}
