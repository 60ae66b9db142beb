package io.fjordmq.inbox.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.Will;
import io.fjordmq.inbox.AttachRequest;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxLimits;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxStore.InsertOutcome;
import io.fjordmq.inbox.InboxTarget;
import io.fjordmq.inbox.Owner;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.inbox.SessionQueries;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.sim.LocalRanges;
import io.fjordmq.testing.RecordBuilder;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The inbox store on the range engine, in one thread and with manual time. */
public final class TestInboxes implements AutoCloseable {
  public static final InboxId ID = new InboxId("t", "c");
  static final long INCARNATION = 7;

  final RecordingListener listener = new RecordingListener();
  final Set<Owner> deadOwners = new HashSet<>();

  /** Number of mutations that will be rejected because the range is busy. */
  final AtomicInteger refusals = new AtomicInteger();

  /** Number of mutations that will be applied but whose response will be lost. */
  final AtomicInteger lostResponses = new AtomicInteger();

  /** Number of mutations that will not be applied and get no response. */
  final AtomicInteger lostCommands = new AtomicInteger();

  /** Number of sessions that expired. */
  public final AtomicInteger expired = new AtomicInteger();

  public final Map<String, Long> dropped = new LinkedHashMap<>();

  /** The ranges that this node leads. */
  Predicate<RangeId> leading = range -> true;

  private final InboxSettings settings;
  private final LocalRanges ranges;
  private ReplicatedInboxStore store;
  private InboxSweeper sweeper;
  private final InboxReplicas replicas;

  TestInboxes() {
    this(settings(InboxLimits.DEFAULT));
  }

  TestInboxes(InboxSettings settings) {
    this.settings = settings;
    this.replicas =
        new InboxReplicas(
            settings,
            listener,
            new InboxObserver() {
              @Override
              public void onExpired() {
                expired.incrementAndGet();
              }

              @Override
              public void onDropped(String reason, long count) {
                dropped.merge(reason, count, Long::sum);
              }
            });
    this.ranges = LocalRanges.of(RowDump.wrap(replicas.spec()));
    connect();
  }

  static InboxSettings settings(InboxLimits limits) {
    return settings(limits, Duration.ofSeconds(5));
  }

  static InboxSettings settings(InboxLimits limits, Duration detachRetryInterval) {
    return RecordBuilder.from(InboxSettings.DEFAULT)
        .with(InboxSettings::initialRanges, 4)
        .with(InboxSettings::limits, limits)
        .with(InboxSettings::cachedInboxes, 100)
        .with(InboxSettings::commitLinger, Duration.ofMillis(50))
        .with(InboxSettings::maxCommitInboxes, 100)
        .with(InboxSettings::maxCommitSpan, 512)
        .with(InboxSettings::busyBackoff, Duration.ofMillis(50))
        .with(InboxSettings::maxBusyRetries, 3)
        .with(InboxSettings::detachRetryInterval, detachRetryInterval)
        .with(InboxSettings::maxPendingDetaches, 100)
        .with(InboxSettings::willGrace, Duration.ofSeconds(10))
        .with(InboxSettings::producerIdle, Duration.ofDays(7))
        .with(InboxSettings::sweepItems, 3)
        .with(InboxSettings::sweepSteps, 100)
        .build();
  }

  /**
   * Creates another store, like that of another node, which knows nothing about the calls of this
   * one.
   */
  ReplicatedInboxStore anotherStore() {
    return new ReplicatedInboxStore(
        new RefusingClient(
            ranges.client(InboxReplicas.STORE), refusals, lostResponses, lostCommands),
        replicas,
        range -> leading.test(range),
        settings,
        ranges.timers(),
        ranges.timers(),
        InboxObserver.NONE);
  }

  private void connect() {
    store = anotherStore();
    sweeper =
        new InboxSweeper(
            ranges.client(InboxReplicas.STORE),
            () -> ranges.client(InboxReplicas.STORE).locate(KeyInterval.ALL),
            (node, incarnation) -> !deadOwners.contains(new Owner(node, incarnation)),
            ranges.timers(),
            settings,
            InboxObserver.NONE);
  }

  ReplicatedInboxStore store() {
    return store;
  }

  SessionQueries queries() {
    return new RangeSessionQueries(ranges.client(InboxReplicas.STORE), ranges.timers());
  }

  public long nowMillis() {
    return ranges.nowMillis();
  }

  /** Crashes the process and restarts it. */
  public void crash() {
    ranges.crash();
    connect();
  }

  void restart() {
    ranges.restart();
    connect();
  }

  /** Advances the time, then runs the sweeper. */
  void advanceAndSweep(Duration time) {
    ranges.advance(time);
    sweeper.sweep().join();
  }

  void advanceWithoutSweep(Duration time) {
    ranges.advance(time);
  }

  /** All rows of the store, in hexadecimal. */
  Map<String, String> rows() {
    return RowDump.of(ranges.client(InboxReplicas.STORE));
  }

  /** Lets the linger time of acknowledgements pass. */
  void linger() {
    ranges.advance(settings.commitLinger());
  }

  public Attachment attach(InboxId id) {
    return attach(id, false, 3600, null);
  }

  public Attachment attach(
      InboxId id, boolean cleanStart, long expirySeconds, @Nullable Will will) {
    return store
        .attach(id, new AttachRequest(cleanStart, "n1", INCARNATION, expirySeconds, will))
        .join();
  }

  public void detach(InboxHandle handle) {
    detach(handle, 1, 3600, true);
  }

  public void detach(InboxHandle handle, long sentBelow, long expirySeconds, boolean publishWill) {
    store.detach(handle, sentBelow, expirySeconds, publishWill).join();
  }

  public InsertOutcome insert(InboxHandle handle, String payload) {
    return insert(handle, message(payload), null);
  }

  public InsertOutcome insert(InboxHandle handle, Message message, @Nullable PublishId id) {
    return store.insert(message, List.of(target(handle)), id).join().get(0);
  }

  public static InboxTarget target(InboxHandle handle) {
    return new InboxTarget(
        handle.id(), handle.incarnation(), Qos.EXACTLY_ONCE, false, List.of(3, 300));
  }

  public Message message(String payload) {
    return message(payload, Message.NEVER);
  }

  public Message message(String payload, long expiresAtMillis) {
    return new Message(
        new Topic("a/b"),
        payload.getBytes(UTF_8),
        Qos.EXACTLY_ONCE,
        false,
        MessageProperties.NONE,
        "p",
        nowMillis(),
        expiresAtMillis);
  }

  public Will will(String payload, long delaySeconds) {
    return new Will(message(payload), delaySeconds, Will.NO_EXPIRY);
  }

  /** All undelivered entries, as {@code sequence:payload}. */
  List<String> fetchAll(InboxHandle handle) {
    return fetch(handle, 1, 1000).entries().stream().map(TestInboxes::text).toList();
  }

  InboxStore.Page fetch(InboxHandle handle, long from, int maxEntries) {
    return store.fetch(handle, from, maxEntries, 1 << 20).join();
  }

  public static String text(InboxEntry entry) {
    return entry.sequence() + ":" + new String(entry.message().payload(), UTF_8);
  }

  /** Commits and waits until the commit is sent. */
  public void commit(InboxHandle handle, long upTo, Long... beyond) {
    CompletableFuture<Void> done = store.commit(handle, upTo, List.of(beyond));
    linger();
    done.join();
  }

  @Override
  public void close() {
    store.close();
    ranges.close();
  }
}
