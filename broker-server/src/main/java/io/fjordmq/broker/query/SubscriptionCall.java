package io.fjordmq.broker.query;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.dispatch.LiveSubscription;
import io.fjordmq.broker.query.NodeSubscriptions.Subscriptions;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.SessionPosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request to another node about the subscriptions of its clients. */
sealed interface SubscriptionCall extends NodeCall {
  private static void writeId(ByteWriter out, InboxId id) {
    out.writeString(id.tenant()).writeString(id.clientId());
  }

  private static InboxId readId(ByteReader in) {
    return new InboxId(in.readString(), in.readString());
  }

  private static void write(ByteWriter out, LiveSubscription subscription) {
    out.writeString(subscription.filter().text());
    ClientSubscription.writeOptions(out, subscription.options());
  }

  private static LiveSubscription read(ByteReader in) {
    return new LiveSubscription(
        TopicFilter.parse(in.readString()), ClientSubscription.readOptions(in));
  }

  private static void write(ByteWriter out, SubscriptionPosition from, @Nullable String tenant) {
    from.session().write(out);
    out.writeString(from.filter()).writeByte(tenant == null ? 0 : 1);
    if (tenant != null) {
      out.writeString(tenant);
    }
  }

  private static SubscriptionPosition readPosition(ByteReader in) {
    return new SubscriptionPosition(SessionPosition.read(in), in.readString());
  }

  private static @Nullable String readTenant(ByteReader in) {
    return in.readByte() == 0 ? null : in.readString();
  }

  /** Encodes a reason code, or {@link NodeSubscriptions#NOT_CONNECTED}. */
  static byte[] encodeCode(int code) {
    return NodeCall.newResponse().writeVarint(code + 1L).toByteArray(); // u8 version | v code + 1
  }

  static int decodeCode(byte[] response) {
    return NodeCall.responseReader(response).readInt() - 1;
  }

  /** See {@link NodeSubscriptions#listTransient}. */
  record ListTransient(SubscriptionPosition from, @Nullable String tenant, int max)
      implements SubscriptionCall {
    /*
     *   .. position of the session, s filter
     *   1  1 if there is a tenant | s tenant
     *   v  max
     *
     * Response: .. position of the next session, s next filter | v count
     *           | s tenant, s client id, s filter, .. options    for each
     */
    static final int KIND = 5;

    @Override
    public int kind() {
      return KIND;
    }

    @Override
    public void write(ByteWriter out) {
      SubscriptionCall.write(out, from, tenant);
      out.writeVarint(max);
    }

    static ListTransient read(ByteReader in) {
      return new ListTransient(readPosition(in), readTenant(in), in.readInt());
    }

    static byte[] encodeResponse(Subscriptions page) {
      ByteWriter out = NodeCall.newResponse();
      page.next().session().write(out);
      out.writeString(page.next().filter()).writeVarint(page.entries().size());
      for (Subscriptions.Entry entry : page.entries()) {
        writeId(out, entry.id());
        SubscriptionCall.write(out, entry.subscription());
      }
      return out.toByteArray();
    }

    static Subscriptions decodeResponse(byte[] response) {
      ByteReader in = NodeCall.responseReader(response);
      SubscriptionPosition next = readPosition(in);
      int count = in.readCount(5);
      List<Subscriptions.Entry> entries = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        entries.add(new Subscriptions.Entry(readId(in), SubscriptionCall.read(in)));
      }
      in.requireEnd();
      return new Subscriptions(entries, next);
    }
  }

  /** See {@link NodeSubscriptions#listSubscribers}. */
  record ListSubscribers(
      SubscriptionPosition from, @Nullable String tenant, TopicFilter filter, int max)
      implements SubscriptionCall {
    /*
     *   .. position of the session, s filter
     *   1  1 if there is a tenant | s tenant
     *   s  filter of the listed subscriptions
     *   v  max
     *
     * Response: as for ListTransient
     */
    static final int KIND = 10;

    @Override
    public int kind() {
      return KIND;
    }

    @Override
    public void write(ByteWriter out) {
      SubscriptionCall.write(out, from, tenant);
      out.writeString(filter.text()).writeVarint(max);
    }

    static ListSubscribers read(ByteReader in) {
      return new ListSubscribers(
          readPosition(in), readTenant(in), TopicFilter.parse(in.readString()), in.readInt());
    }
  }

  /** See {@link NodeSubscriptions#ofClient}. */
  record OfClient(InboxId id) implements SubscriptionCall {
    /*
     *   s  tenant, s client id
     *
     * Response: 1 whether the client is connected | v count | s filter, .. options    for each
     */
    static final int KIND = 6;

    @Override
    public int kind() {
      return KIND;
    }

    @Override
    public void write(ByteWriter out) {
      writeId(out, id);
    }

    static OfClient read(ByteReader in) {
      return new OfClient(readId(in));
    }

    static byte[] encodeResponse(Optional<List<LiveSubscription>> found) {
      ByteWriter out = NodeCall.newResponse().writeByte(found.isPresent() ? 1 : 0);
      List<LiveSubscription> subscriptions = found.orElse(List.of());
      out.writeVarint(subscriptions.size());
      subscriptions.forEach(subscription -> SubscriptionCall.write(out, subscription));
      return out.toByteArray();
    }

    static Optional<List<LiveSubscription>> decodeResponse(byte[] response) {
      ByteReader in = NodeCall.responseReader(response);
      boolean connected = in.readByte() != 0;
      int count = in.readCount(3);
      List<LiveSubscription> found = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        found.add(SubscriptionCall.read(in));
      }
      in.requireEnd();
      return connected ? Optional.of(found) : Optional.empty();
    }
  }

  /** See {@link NodeSubscriptions#subscribe}. */
  record Subscribe(InboxId id, TopicFilter filter, SubscriptionOptions options)
      implements SubscriptionCall {
    /*
     *   s  tenant, s client id, s filter, .. options
     */
    static final int KIND = 7;

    @Override
    public int kind() {
      return KIND;
    }

    @Override
    public void write(ByteWriter out) {
      writeId(out, id);
      SubscriptionCall.write(out, new LiveSubscription(filter, options));
    }

    static Subscribe read(ByteReader in) {
      InboxId id = readId(in);
      LiveSubscription subscription = SubscriptionCall.read(in);
      return new Subscribe(id, subscription.filter(), subscription.options());
    }
  }

  /** See {@link NodeSubscriptions#unsubscribe}. */
  record Unsubscribe(InboxId id, TopicFilter filter) implements SubscriptionCall {
    /*
     *   s  tenant, s client id, s filter
     */
    static final int KIND = 8;

    @Override
    public int kind() {
      return KIND;
    }

    @Override
    public void write(ByteWriter out) {
      writeId(out, id);
      out.writeString(filter.text());
    }

    static Unsubscribe read(ByteReader in) {
      return new Unsubscribe(readId(in), TopicFilter.parse(in.readString()));
    }
  }
}
