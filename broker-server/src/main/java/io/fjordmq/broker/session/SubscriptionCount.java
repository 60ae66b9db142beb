package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxSubscription;
import io.netty.buffer.ByteBufUtil;
import org.jspecify.annotations.Nullable;

/**
 * Counts the subscriptions of a session and their bytes, and checks them against the session's
 * limits. Reports the subscriptions of transient sessions to the metrics; the inbox store counts
 * all others. Only used on the event loop.
 */
final class SubscriptionCount {
  private final SessionObserver observer;
  private final boolean isTransient;
  private final int maxCount;
  private final int maxBytes;
  private int count;
  private long bytes;
  private int reported;

  /**
   * @param attachment the inbox attachment of a persistent session; null for a transient session
   */
  SubscriptionCount(
      SessionSettings settings, SessionObserver observer, @Nullable Attachment attachment) {
    this.observer = observer;
    this.isTransient = attachment == null;
    this.maxCount = settings.maxSubscriptions();
    this.maxBytes = settings.maxSubscriptionBytes();
    if (attachment != null) {
      attachment.subscriptions().forEach(subscription -> add(subscription.filter().text()));
    }
  }

  /** Returns the limit that one more subscription would exceed; null if there is none. */
  @Nullable Limit limitExceededBy(String filter) {
    if (count >= maxCount) {
      return Limit.SUBSCRIPTIONS;
    }
    return bytes + weight(filter) > maxBytes ? Limit.SUBSCRIPTION_BYTES : null;
  }

  int count() {
    return count;
  }

  void add(String filter) {
    count++;
    bytes += weight(filter);
  }

  void remove(String filter) {
    count--;
    bytes -= weight(filter);
  }

  private static int weight(String filter) {
    return ByteBufUtil.utf8Bytes(filter) + InboxSubscription.BYTES_BESIDE_FILTER;
  }

  void report() {
    report(count);
  }

  /** Called when the connection has ended, and with it the subscriptions of a transient session. */
  void end() {
    report(0);
  }

  private void report(int now) {
    if (isTransient && now != reported) {
      observer.addSubscriptions(now - reported);
      reported = now;
    }
  }
}
