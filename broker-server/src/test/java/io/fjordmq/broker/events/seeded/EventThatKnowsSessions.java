package io.fjordmq.broker.events.seeded;

import io.fjordmq.broker.session.Sessions;

/** Violates the rule that events know nothing about who records them. */
public final class EventThatKnowsSessions {
  private final Sessions sessions;

  EventThatKnowsSessions(Sessions sessions) {
    this.sessions = sessions;
  }

  int clients() {
    return sessions.size();
  }
}
