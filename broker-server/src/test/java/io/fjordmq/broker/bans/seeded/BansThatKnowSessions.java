package io.fjordmq.broker.bans.seeded;

import io.fjordmq.broker.session.Sessions;

/** Breaks the boundary of bans. */
public final class BansThatKnowSessions {
  /** What bans must not know. */
  public final Class<?> known = Sessions.class;
}
