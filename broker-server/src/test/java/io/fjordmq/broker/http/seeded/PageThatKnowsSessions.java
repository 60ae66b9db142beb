package io.fjordmq.broker.http.seeded;

import io.fjordmq.broker.session.Sessions;

/** A page that knows what it shows. */
public final class PageThatKnowsSessions {
  private PageThatKnowsSessions() {}

  static int count(Sessions sessions) {
    return sessions.size();
  }
}
