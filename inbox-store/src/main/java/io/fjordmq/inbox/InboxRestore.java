package io.fjordmq.inbox;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.MalformedBytesException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Prepares the rows of a backup for a new cluster, and finds the subscriptions in them. Used by one
 * thread, which passes all rows in key order.
 *
 * <p>The ranges of a backup are from slightly different times. An inbox may therefore already have
 * received messages of a publisher whose session is older in the backup. Such a session must not
 * use the same sequences again, or that inbox would discard its next messages as duplicates: both
 * the sequence of the next QoS 2 publish and the epoch, which identifies wills, skip {@link #GAP}.
 */
public final class InboxRestore {
  /** More than any session can use while a backup is made. */
  static final long GAP = 1L << 32;

  private final SubscriptionListener listener;
  private final Map<Long, InboxId> inboxes = new HashMap<>();
  private int bucket = -1;
  private long sessions;

  /** Receives the subscriptions of sessions. */
  @FunctionalInterface
  public interface SubscriptionListener {
    void onSubscription(InboxId id, long incarnation, InboxSubscription subscription);
  }

  public InboxRestore(SubscriptionListener listener) {
    this.listener = listener;
  }

  /**
   * Returns the value that the row has in the new cluster.
   *
   * @throws MalformedBytesException if this version cannot read the row
   */
  public byte[] prepare(byte[] key, byte[] value) {
    if (InboxKeys.bucketOf(key) != bucket) {
      bucket = InboxKeys.bucketOf(key);
      inboxes.clear();
    }
    return switch (InboxKeys.tableOf(key)) {
      case InboxKeys.STATE -> prepareState(InboxKeys.idOfState(key), value);
      case InboxKeys.CURSOR -> prepareCursor(value);
      case InboxKeys.ROWS -> {
        findSubscription(key, value);
        yield value;
      }
      default -> value;
    };
  }

  /** The number of sessions so far. */
  public long sessions() {
    return sessions;
  }

  private byte[] prepareState(InboxId id, byte[] value) {
    InboxState state = InboxState.decode(id, value);
    InboxHandle handle = state.handle();
    inboxes.put(handle.incarnation(), id);
    sessions++;
    return new InboxState(
            new InboxHandle(id, handle.incarnation(), handle.epoch() + GAP),
            state.owner(),
            state.sentBelow(),
            state.expirySeconds(),
            state.limits(),
            state.will(),
            state.willDueAtMillis(),
            state.expiresAtMillis(),
            state.user(),
            state.guest())
        .encode();
  }

  private static byte[] prepareCursor(byte[] value) {
    InboxCursor cursor = InboxCursor.decode(value);
    cursor.nextPublish += GAP;
    return cursor.encode();
  }

  private void findSubscription(byte[] key, byte[] value) {
    ByteReader in = new ByteReader(key);
    in.readBytes(3);
    long incarnation = in.readLong();
    InboxId id = inboxes.get(incarnation);
    if (in.readByte() != InboxKeys.SUBSCRIPTION || id == null) {
      return; // another row, or one of a session that has ended
    }
    String filter = new String(in.readBytes(in.remaining()), StandardCharsets.UTF_8);
    try {
      listener.onSubscription(
          id,
          incarnation,
          new InboxSubscription(TopicFilter.parse(filter), SubscriptionRow.decode(value)));
    } catch (IllegalArgumentException e) {
      throw new MalformedBytesException("invalid topic filter in a subscription", e);
    }
  }
}
