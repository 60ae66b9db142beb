package io.fjordmq.broker.protocol;

import io.fjordmq.api.Topic;

/** The topics to which only the broker may publish. Clients may subscribe to them. */
public final class ReservedTopics {
  private static final String SYS = "$SYS";

  private ReservedTopics() {}

  public static boolean isReserved(Topic topic) {
    String name = topic.name();
    return name.startsWith(SYS)
        && (name.length() == SYS.length() || name.charAt(SYS.length()) == '/');
  }
}
