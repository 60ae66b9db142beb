package io.fjordmq.broker.userdb.seeded;

import io.fjordmq.broker.session.Sessions;

/** Breaks the boundary of the database of users. */
public final class UsersThatKnowSessions {
  /** What the database must not know. */
  public final Class<?> known = Sessions.class;
}
