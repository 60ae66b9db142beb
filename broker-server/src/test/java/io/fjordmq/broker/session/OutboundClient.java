package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.dispatch.ShareKey;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.broker.protocol.Dialect;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.security.ConnectAdmission;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.slow.SlowSubscriptions;
import io.fjordmq.broker.telemetry.MessageTracer;
import io.fjordmq.broker.testing.CountingSessionObserver;
import io.fjordmq.broker.testing.MemoryInboxStore;
import io.fjordmq.broker.testing.StoreTasks;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.topicmetrics.TopicTraffic;
import io.fjordmq.inbox.AttachRequest;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxStore;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Acts as the client of {@link OutboundPublishes} and of its sources, without a session. The wire
 * and the inbox store are real; everything else is recorded.
 */
final class OutboundClient implements OutboundPublishes.Client {
  static final String ID = "c";
  private static final int RECEIVE_MAXIMUM = 100;
  private static final int MAX_PACKET_BYTES = 100;

  final TestClient wire =
      new TestClient(() -> {}, ByteBufAllocator.DEFAULT, new ChannelInboundHandlerAdapter() {})
          .decodeMqtt5();
  final StoreTasks tasks = StoreTasks.immediate();
  final MemoryInboxStore inboxes = new MemoryInboxStore(tasks);
  final CountingSessionObserver observer = new CountingSessionObserver();
  final List<CloseReason> failures = new ArrayList<>();
  final List<Limit> limits = new ArrayList<>();
  private final StoreFailureLog storeFailures = new StoreFailureLog();
  private final TopicTraffic topicTraffic = new TopicTraffic();
  private final SlowSubscriptions slow = SlowSubscriptions.disabled();
  long now = 1_000;
  long connectedAt = 1_000;
  boolean ended;
  @Nullable MessageTracer tracer;

  private final SessionSettings settings;
  private final ConnectRequest request;
  private final ClientAccess access;
  private final Dialect dialect;
  private final PacketWriter writer;

  OutboundClient(SessionSettings settings) {
    this(settings, RECEIVE_MAXIMUM);
  }

  OutboundClient(SessionSettings settings, int receiveMaximum) {
    this.settings = settings;
    this.request =
        new ConnectRequest(
            5,
            ID,
            false,
            false,
            60,
            60,
            0,
            0,
            receiveMaximum,
            MAX_PACKET_BYTES,
            0,
            true,
            null,
            null,
            null,
            null,
            null,
            List.of());
    ClientInfo info = new ClientInfo("t", ID, null, Map.of(), "test", null, false, null, 5);
    this.access =
        Security.allowAll("t")
            .accessOf(new ConnectAdmission.Admitted(info, null, new byte[0], "test"));
    this.dialect = Dialect.of(request, settings);
    this.writer =
        new PacketWriter(
            wire.channel(),
            new Throttle(new TimeoutWheel(loop()), settings, throttleClient()),
            observer);
  }

  @Override
  public void onSent(Delivery delivery, int packetIdentifier, boolean duplicate) {}

  @Override
  public void onQueued(Delivery delivery) {}

  @Override
  public TopicTraffic topicTraffic() {
    return topicTraffic;
  }

  @Override
  public SlowSubscriptions slowSubscriptions() {
    return slow;
  }

  private Throttle.Client throttleClient() {
    return new Throttle.Client() {
      @Override
      public ReadGate gate() {
        throw new AssertionError("nothing is read");
      }

      @Override
      public void recordLimitReached(Limit limit) {
        OutboundClient.this.recordLimitReached(limit);
      }

      @Override
      public void onWritable() {}

      @Override
      public void recordThrottled(@Nullable Limit limit) {}

      @Override
      public void recordThrottleEnded(@Nullable Limit limit) {}

      @Override
      public boolean isOverloaded() {
        return false;
      }

      @Override
      public SessionObserver observer() {
        return observer;
      }

      @Override
      public long sharedClockMillis() {
        return 0;
      }
    };
  }

  /** Attaches the inbox, which is created if it does not exist. */
  Attachment attach() {
    InboxId id = new InboxId("t", ID);
    return inboxes.attach(id, new AttachRequest(false, "n1", 1, 60, null)).join();
  }

  /** Appends to the inbox in the store without pushing the entries. */
  void store(Qos qos, String... texts) {
    for (String text : texts) {
      inboxes.append(ID, message(qos, text, Message.NEVER));
    }
  }

  static Delivery delivery(Qos qos, String text) {
    return new Delivery(message(qos, text, Message.NEVER), qos, false, List.of(), null);
  }

  static Delivery shared(String text) {
    ShareKey share = new ShareKey("t", "share", "a");
    Message message = message(Qos.AT_LEAST_ONCE, text, Message.NEVER);
    return new Delivery(message, Qos.AT_LEAST_ONCE, false, List.of(), share);
  }

  static Message message(Qos qos, String text, long expiresAtMillis) {
    return new Message(
        new Topic("a"),
        text.getBytes(StandardCharsets.UTF_8),
        qos,
        false,
        MessageProperties.NONE,
        "publisher",
        500,
        expiresAtMillis);
  }

  /** Asserts what the client has received since the last call. */
  void expect(String... packets) {
    writer.flush();
    wire.expect(packets);
  }

  @Override
  public SessionSettings settings() {
    return settings;
  }

  @Override
  public SessionObserver observer() {
    return observer;
  }

  @Override
  public Dialect dialect() {
    return dialect;
  }

  @Override
  public EventLoop loop() {
    return wire.channel().eventLoop();
  }

  @Override
  public long nowMillis() {
    return now;
  }

  @Override
  public long connectedAtMillis() {
    return connectedAt;
  }

  @Override
  public void recordLimitReached(Limit limit) {
    limits.add(limit);
  }

  @Override
  public void recordDropped(Drop drop) {
    observer.onDropped(drop.reason(), drop.count());
  }

  @Override
  public PacketWriter writer() {
    return writer;
  }

  @Override
  public InboxStore inboxes() {
    return inboxes;
  }

  @Override
  public String tenant() {
    return "t";
  }

  @Override
  public @Nullable MessageTracer messageTracer() {
    return tracer;
  }

  @Override
  public String clientId() {
    return ID;
  }

  @Override
  public ConnectRequest request() {
    return request;
  }

  @Override
  public ClientAccess access() {
    return access;
  }

  @Override
  public void fail(CloseReason reason, String detail) {
    failures.add(reason);
  }

  @Override
  public <T extends @Nullable Object> void whenDone(
      CompletableFuture<T> future, ResultCallback<T> then) {
    ResultCallback.invokeOn(loop(), future, then);
  }

  @Override
  public <T extends @Nullable Object> void whenDoneUnlessEnded(
      CompletableFuture<T> future, ResultCallback<T> then) {
    whenDone(
        future,
        (value, error) -> {
          if (!ended) {
            then.onResult(value, error);
          }
        });
  }

  void close() {
    writer.discard();
    wire.dispose();
  }

  @Override
  public StoreFailureLog storeFailures() {
    return storeFailures;
  }
}
