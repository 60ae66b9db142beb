package io.fjordmq.broker.query;

import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.SessionQueries.StoredSubscription;
import org.jspecify.annotations.Nullable;

/**
 * A subscription of a client or offline session.
 *
 * @param node id of the node that the client is connected to; null if it is offline
 * @param durable whether the subscription outlives the connection
 */
public record ClientSubscription(
    InboxId id,
    @Nullable String node,
    TopicFilter filter,
    SubscriptionOptions options,
    boolean durable) {
  private static final RetainHandling[] RETAIN_HANDLING = RetainHandling.values();

  static ClientSubscription of(StoredSubscription stored) {
    return new ClientSubscription(
        stored.id(),
        stored.node().isEmpty() ? null : stored.node(),
        stored.subscription().filter(),
        stored.subscription().options(),
        true);
  }

  /** Returns a subscription that has just been added. */
  public static ClientSubscription added(
      ClientRow client, TopicFilter filter, SubscriptionOptions options) {
    LiveClient live = client.live();
    boolean durable = live != null && live.attributes().persistent();
    return new ClientSubscription(client.id(), client.node(), filter, options, durable);
  }

  public String tenant() {
    return id.tenant();
  }

  public String clientId() {
    return id.clientId();
  }

  SubscriptionPosition position() {
    return SubscriptionPosition.of(id, filter.text());
  }

  /**
   * Writes options.
   *
   * <pre>
   * u8 bits 0-1 maximum QoS, 2 No Local, 3 Retain As Published, 4-5 Retain Handling
   * varint subscription identifier; 0 if none
   * </pre>
   */
  static void writeOptions(ByteWriter out, SubscriptionOptions options) {
    out.writeByte(
            options.maxQos().level()
                | (options.noLocal() ? 1 << 2 : 0)
                | (options.retainAsPublished() ? 1 << 3 : 0)
                | options.retainHandling().ordinal() << 4)
        .writeVarint(options.identifier());
  }

  static SubscriptionOptions readOptions(ByteReader in) {
    int bits = in.readByte();
    return new SubscriptionOptions(
        Qos.of(bits & 0b11),
        (bits & 1 << 2) != 0,
        (bits & 1 << 3) != 0,
        RETAIN_HANDLING[bits >> 4 & 0b11],
        in.readInt());
  }
}
