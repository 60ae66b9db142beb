package io.fjordmq.broker.protocol.seeded;

import io.fjordmq.broker.session.Sessions;

/** A packet that depends on the session that sends it. */
public final class PacketThatKnowsSessions {
  private PacketThatKnowsSessions() {}

  static int count(Sessions sessions) {
    return sessions.size();
  }
}
