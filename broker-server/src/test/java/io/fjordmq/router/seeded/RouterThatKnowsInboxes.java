package io.fjordmq.router.seeded;

import io.fjordmq.inbox.InboxId;

/** Depends on a store that the router must not know. */
public final class RouterThatKnowsInboxes {
  private RouterThatKnowsInboxes() {}

  /** Depends on another layer. */
  public static String nameOf(InboxId inbox) {
    return inbox.toString();
  }
}
