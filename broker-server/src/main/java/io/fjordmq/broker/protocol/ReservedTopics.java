package io.fjordmq.broker.protocol;

import io.fjordmq.api.Topic;

/** Topics that only the broker publishes to; clients may subscribe to them. */
public final class ReservedTopics {
  private static final String SYS = "$SYS";

  private ReservedTopics() {}

  public static boolean isReserved(Topic topic) {
    String name = topic.name();
    return name.startsWith(SYS)
        && (name.length() == SYS.length() || name.charAt(SYS.length()) == '/');
  }
}
