package io.fjordmq.broker.session;

import io.fjordmq.api.Topic;

/** Topics that only the broker publishes to; clients may subscribe to them. */
final class ReservedTopics {
  private static final String SYS = "$SYS";

  private ReservedTopics() {}

  static boolean isReserved(Topic topic) {
    String name = topic.name();
    return name.startsWith(SYS)
        && (name.length() == SYS.length() || name.charAt(SYS.length()) == '/');
  }
}
