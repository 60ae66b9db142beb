package io.fjordmq.inbox;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import org.jspecify.annotations.Nullable;

/** Adds, replaces or removes a subscription. The response says whether it existed before. */
public record EditSubscription(
    InboxHandle handle, TopicFilter filter, @Nullable SubscriptionOptions options)
    implements InboxCommand {
  /*
   *   .. handle
   *   s  filter
   *   b  options as in the row; empty to remove
   */
  static final int KIND = 6;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    FieldCodec.writeHandle(out, handle);
    out.writeString(filter.text());
    out.writeBlock(options == null ? new byte[0] : SubscriptionRow.encode(options));
  }

  static EditSubscription read(ByteReader in) {
    InboxHandle handle = FieldCodec.readHandle(in);
    TopicFilter filter = TopicFilter.parse(in.readString());
    byte[] options = in.readBlock();
    return new EditSubscription(
        handle, filter, options.length == 0 ? null : SubscriptionRow.decode(options));
  }

  @Override
  public byte[] apply(InboxRows inboxes) {
    Inbox inbox = inboxes.findOwned(handle);
    if (inbox == null) {
      return ResponseCodec.fenced();
    }
    byte[] key = InboxKeys.subscription(inbox.bucket, inbox.incarnation(), filter.text());
    boolean present = inboxes.rows().get(key) != null;
    if (options != null) {
      inboxes.rows().put(key, SubscriptionRow.encode(options));
    } else {
      inboxes.rows().delete(key);
    }
    int change = (options != null ? 1 : 0) - (present ? 1 : 0);
    if (change != 0) {
      inbox.cursor.subscriptions += change;
      inboxes.addSubscriptions(inbox, change);
      inboxes.saveCursor(inbox);
    }
    return ResponseCodec.of(present);
  }
}
