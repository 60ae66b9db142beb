package io.fjordmq.broker.net.seeded;

import io.fjordmq.broker.Broker;
import io.fjordmq.broker.session.Sessions;

/** A listener that knows sessions and the broker that assembles it. */
public final class ListenerThatKnowsTooMuch {
  private ListenerThatKnowsTooMuch() {}

  static int count(Sessions sessions, Broker broker) {
    return sessions.size() + broker.listeners().size();
  }
}
