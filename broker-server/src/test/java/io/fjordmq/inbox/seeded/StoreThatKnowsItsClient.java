package io.fjordmq.inbox.seeded;

import io.fjordmq.inbox.client.InboxSweeper;

/** Depends on what one node does with the store. */
public final class StoreThatKnowsItsClient {
  private StoreThatKnowsItsClient() {}

  /** Depends on the client. */
  public static String nameOf(InboxSweeper sweeper) {
    return sweeper.toString();
  }
}
