package io.fjordmq.broker.session;

import io.fjordmq.api.Topic;

/** Topics that are the broker's own: clients may subscribe to them, but not publish. */
final class ReservedTopics {
  private static final String SYS = "$SYS";

  private ReservedTopics() {}

  static boolean isReserved(Topic topic) {
    String name = topic.name();
    return name.startsWith(SYS)
        && (name.length() == SYS.length() || name.charAt(SYS.length()) == '/');
  }
}
