package io.fjordmq.inbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.Will;
import io.fjordmq.inbox.InboxStore.InsertOutcome;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.sim.LocalRanges;
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

/** The inbox store on the range engine, in one thread and with time that stands still. */
final class TestInboxes implements AutoCloseable {
  static final InboxId ID = new InboxId("t", "c");
  static final long INCARNATION = 7;

  final RecordingListener listener = new RecordingListener();
  final Set<Owner> dead = new HashSet<>();

  /** So many of the next mutations find that too much waits for the range. */
  final AtomicInteger refusals = new AtomicInteger();

  /** So many of the next mutations are applied, and nobody hears of it. */
  final AtomicInteger unanswered = new AtomicInteger();

  /** So many of the next mutations are not applied, and nobody hears of it. */
  final AtomicInteger lost = new AtomicInteger();

  /** Sessions whose clients stayed away too long. */
  final AtomicInteger expired = new AtomicInteger();

  final Map<String, Long> dropped = new LinkedHashMap<>();

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
              public void expired() {
                expired.incrementAndGet();
              }

              @Override
              public void dropped(String reason, long count) {
                dropped.merge(reason, count, Long::sum);
              }
            });
    this.ranges = LocalRanges.of(ShowingRows.around(replicas.spec()));
    connect();
  }

  static InboxSettings settings(InboxLimits limits) {
    return settings(limits, Duration.ofSeconds(5));
  }

  static InboxSettings settings(InboxLimits limits, Duration owedDetachPause) {
    return new InboxSettings(
        4,
        limits,
        100,
        Duration.ofMillis(50),
        100,
        512,
        Duration.ofMillis(50),
        3,
        owedDetachPause,
        100,
        Duration.ofSeconds(10),
        Duration.ofDays(7),
        3,
        100);
  }

  /** One that knows nothing of the other's calls, as that of another node. */
  ReplicatedInboxStore anotherStore() {
    return new ReplicatedInboxStore(
        new RefusingClient(ranges.client(InboxReplicas.STORE), refusals, unanswered, lost),
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
            (node, incarnation) -> !dead.contains(new Owner(node, incarnation)),
            ranges.timers(),
            settings,
            InboxObserver.NONE);
  }

  ReplicatedInboxStore store() {
    return store;
  }

  long nowMillis() {
    return ranges.nowMillis();
  }

  /** The process dies and comes back. */
  void crash() {
    ranges.crash();
    connect();
  }

  void restart() {
    ranges.restart();
    connect();
  }

  /** Time passes, then the sweeper runs. */
  void pass(Duration time) {
    ranges.advance(time);
    sweeper.sweep().join();
  }

  void passWithoutSweep(Duration time) {
    ranges.advance(time);
  }

  /** All rows of the store, in hexadecimal. */
  Map<String, String> rows() {
    return ShowingRows.of(ranges.client(InboxReplicas.STORE));
  }

  /** Acknowledgements need not linger any longer. */
  void linger() {
    ranges.advance(settings.commitLinger());
  }

  Attachment attach(InboxId id) {
    return attach(id, false, 3600, null);
  }

  Attachment attach(InboxId id, boolean cleanStart, long expirySeconds, @Nullable Will will) {
    return store
        .attach(id, new AttachRequest(cleanStart, "n1", INCARNATION, expirySeconds, will))
        .join();
  }

  void detach(InboxHandle handle) {
    detach(handle, 1, 3600, true);
  }

  void detach(InboxHandle handle, long sentBelow, long expirySeconds, boolean publishWill) {
    store.detach(handle, sentBelow, expirySeconds, publishWill).join();
  }

  InsertOutcome insert(InboxHandle handle, String payload) {
    return insert(handle, message(payload), null);
  }

  InsertOutcome insert(InboxHandle handle, Message message, @Nullable PublishId id) {
    return store.insert(message, List.of(target(handle)), id).join().get(0);
  }

  static InboxTarget target(InboxHandle handle) {
    return new InboxTarget(
        handle.id(), handle.incarnation(), Qos.EXACTLY_ONCE, false, List.of(3, 300));
  }

  Message message(String payload) {
    return message(payload, Message.NEVER);
  }

  Message message(String payload, long expiresAtMillis) {
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

  Will will(String payload, long delaySeconds) {
    return new Will(message(payload), delaySeconds, Will.NO_EXPIRY);
  }

  /** Everything that waits, as {@code sequence:payload}. */
  List<String> fetchAll(InboxHandle handle) {
    return fetch(handle, 1, 1000).entries().stream().map(TestInboxes::text).toList();
  }

  InboxStore.Page fetch(InboxHandle handle, long from, int maxEntries) {
    return store.fetch(handle, from, maxEntries, 1 << 20).join();
  }

  static String text(InboxEntry entry) {
    return entry.sequence() + ":" + new String(entry.message().payload(), UTF_8);
  }

  /** Commits and lets it be sent. */
  void commit(InboxHandle handle, long upTo, Long... beyond) {
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
