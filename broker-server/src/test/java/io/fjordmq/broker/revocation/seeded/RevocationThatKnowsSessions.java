package io.fjordmq.broker.revocation.seeded;

import io.fjordmq.broker.session.Sessions;

/** Breaks the boundary of revocation. */
public final class RevocationThatKnowsSessions {
  /** What revocation must not know. */
  public final Class<?> known = Sessions.class;
}
