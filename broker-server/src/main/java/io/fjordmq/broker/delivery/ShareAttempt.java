package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.router.MatchedRoutes.ShareMatch;
import java.util.HashSet;
import java.util.Set;

/**
 * One message of a share and the members that could not take it. Used by one thread at a time: the
 * one that has the message.
 */
final class ShareAttempt {
  private final ShareKey key;
  private final ShareMatch share;
  private final Message message;
  private Set<String> tried = Set.of();

  ShareAttempt(String tenant, ShareMatch share, Message message) {
    this.key = new ShareKey(tenant, share.shareName(), share.pattern());
    this.share = share;
    this.message = message;
  }

  ShareKey key() {
    return key;
  }

  ShareMatch share() {
    return share;
  }

  Message message() {
    return message;
  }

  Set<String> tried() {
    return tried;
  }

  /** This member cannot take it. */
  void exclude(String clientId) {
    if (tried.isEmpty()) {
      tried = new HashSet<>();
    }
    tried.add(clientId);
  }
}
