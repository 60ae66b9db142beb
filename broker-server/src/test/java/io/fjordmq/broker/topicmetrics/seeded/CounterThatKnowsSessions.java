package io.fjordmq.broker.topicmetrics.seeded;

import io.fjordmq.broker.session.Sessions;

/** Violates the rule that topic metrics know nothing about who counts. */
public final class CounterThatKnowsSessions {
  private final Sessions sessions;

  CounterThatKnowsSessions(Sessions sessions) {
    this.sessions = sessions;
  }

  int clients() {
    return sessions.size();
  }
}
