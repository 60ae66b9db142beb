package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.Limit;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxSubscription;
import io.netty.buffer.ByteBufUtil;
import org.jspecify.annotations.Nullable;

/**
 * How many subscriptions a session has and what they weigh, against its limits. Those of a
 * transient session are reported; the inbox store counts the others. Event loop only.
 */
final class SubscriptionCount {
  private final SessionObserver observer;
  private final boolean isTransient;
  private final int most;
  private final int mostBytes;
  private int count;
  private long bytes;
  private int reported;

  /**
   * @param attachment of a persistent session
   */
  SubscriptionCount(
      SessionSettings settings, SessionObserver observer, @Nullable Attachment attachment) {
    this.observer = observer;
    this.isTransient = attachment == null;
    this.most = settings.maxSubscriptions();
    this.mostBytes = settings.maxSubscriptionBytes();
    if (attachment != null) {
      attachment.subscriptions().forEach(there -> add(there.filter().text()));
    }
  }

  /** The limit that stands against one more; null if none does. */
  @Nullable Limit reachedBy(String filter) {
    if (count >= most) {
      return Limit.SUBSCRIPTIONS;
    }
    return bytes + weight(filter) > mostBytes ? Limit.SUBSCRIPTION_BYTES : null;
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

  /** The connection has ended: a transient session has none any more. */
  void end() {
    report(0);
  }

  private void report(int now) {
    if (isTransient && now != reported) {
      observer.subscribed(now - reported);
      reported = now;
    }
  }
}
