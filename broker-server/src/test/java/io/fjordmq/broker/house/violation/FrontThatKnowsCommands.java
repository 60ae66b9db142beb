package io.fjordmq.broker.house.violation;

import io.fjordmq.inbox.InboxCommand;

/** Depends on a format of the log. */
public final class FrontThatKnowsCommands {
  private FrontThatKnowsCommands() {}

  /** Depends on a command. */
  public static String nameOf(InboxCommand command) {
    return command.toString();
  }
}
