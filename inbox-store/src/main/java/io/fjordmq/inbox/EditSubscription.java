package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import org.jspecify.annotations.Nullable;

/** Adds, replaces or removes a subscription. Answers whether it existed before. */
record EditSubscription(
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
  public byte[] apply(InboxTables tables) {
    Inbox inbox = tables.findOwned(handle);
    if (inbox == null) {
      return Answer.fenced();
    }
    byte[] key = InboxKeys.subscription(inbox.bucket, inbox.incarnation(), filter.text());
    boolean present = tables.rows().get(key) != null;
    if (options != null) {
      tables.rows().put(key, SubscriptionRow.encode(options));
    } else {
      tables.rows().delete(key);
    }
    int change = (options != null ? 1 : 0) - (present ? 1 : 0);
    if (change != 0) {
      inbox.cursor.subscriptions += change;
      tables.subscriptionsChanged(inbox, change);
      tables.saveCursor(inbox);
    }
    return Answer.of(present);
  }
}
