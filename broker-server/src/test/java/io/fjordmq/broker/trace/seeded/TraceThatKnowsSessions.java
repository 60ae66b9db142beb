package io.fjordmq.broker.trace.seeded;

import io.fjordmq.broker.session.Sessions;

/** Breaks the boundary of traces. */
public final class TraceThatKnowsSessions {
  /** What traces must not know. */
  public final Class<?> known = Sessions.class;
}
