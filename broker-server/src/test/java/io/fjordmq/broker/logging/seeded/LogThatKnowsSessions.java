package io.fjordmq.broker.logging.seeded;

import io.fjordmq.broker.session.Sessions;

/** Violates the rule that the log knows nothing about who logs. */
public final class LogThatKnowsSessions {
  private final Sessions sessions;

  LogThatKnowsSessions(Sessions sessions) {
    this.sessions = sessions;
  }

  int clients() {
    return sessions.size();
  }
}
