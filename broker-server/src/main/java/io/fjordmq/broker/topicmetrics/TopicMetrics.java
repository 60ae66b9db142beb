package io.fjordmq.broker.topicmetrics;

import io.fjordmq.broker.topicmetrics.TopicMetricsException.Kind;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataClient;
import io.fjordmq.cluster.metadata.MetadataClientException;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataListener;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataUpdate;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.OperationException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topics of the cluster whose messages are counted. Every node counts the messages that it
 * routes and sends.
 *
 * <p>Thread-safe; nothing blocks. Futures fail with {@link TopicMetricsException} and complete on a
 * thread of the metadata group, which must not be blocked.
 */
public final class TopicMetrics implements AutoCloseable {
  /** Every change of the metadata copies the map of all records, so there must not be too many. */
  public static final int MAX_TOPICS = 512;

  private static final Logger LOG = LoggerFactory.getLogger(TopicMetrics.class);
  private static final int MAX_TOPIC_BYTES = 1_024;
  private static final long SAMPLE_MILLIS = 5_000;

  /** Bounds the size of a write to the metadata. */
  private static final int MAX_BATCH = 100;

  private static final Comparator<RegisteredTopic> ORDER =
      Comparator.comparing(RegisteredTopic::tenant).thenComparing(RegisteredTopic::topic);

  private final MetadataGroup metadata;
  private final MetadataClient client;
  private final InstantSource clock;
  private final TopicTraffic traffic = new TopicTraffic();
  private final MetadataListener listener = this::onChanged;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "topic-metrics"));

  // By metadata key; changed on the metadata thread only.
  private volatile Map<String, RegisteredTopic> topics = Map.of();
  private boolean sampling; // only used on the thread
  private long sampledAtNanos;

  /**
   * The parts of the node that topic metrics need.
   *
   * @param writer writes to the metadata through its leader, on any node
   * @param clock cluster time
   */
  public record Dependencies(
      MetadataGroup metadata,
      Function<List<Change>, CompletableFuture<WriteResult>> writer,
      InstantSource clock) {}

  /** Reads the registered topics and follows their changes. */
  public static TopicMetrics open(Dependencies dependencies) {
    TopicMetrics opened = new TopicMetrics(dependencies);
    dependencies.metadata.watch(opened.listener);
    return opened;
  }

  private TopicMetrics(Dependencies dependencies) {
    metadata = dependencies.metadata;
    client = new MetadataClient(metadata, dependencies.writer);
    clock = dependencies.clock;
  }

  /** Counts the messages of the registered topics on this node. */
  public TopicTraffic traffic() {
    return traffic;
  }

  private void onChanged(MetadataView view, List<MetadataUpdate> updates) {
    Map<String, RegisteredTopic> next = new HashMap<>(topics);
    boolean changed = false;
    for (MetadataUpdate update : updates) {
      if (update.key().startsWith(StoredTopic.PREFIX)) {
        MetadataRecord record = update.record();
        RegisteredTopic topic = record == null ? null : read(record);
        if (topic == null) {
          next.remove(update.key());
        } else {
          next.put(update.key(), topic);
        }
        changed = true;
      }
    }
    if (changed) {
      topics = Map.copyOf(next);
      traffic.replace(next.values());
      if (!next.isEmpty()) {
        requestSampling();
      }
    }
  }

  private static @Nullable RegisteredTopic read(MetadataRecord record) {
    try {
      return StoredTopic.decode(record.value());
    } catch (RuntimeException e) { // would halt the metadata replica
      LOG.error(
          "Cannot read a registered topic in the metadata; its messages are not counted on this"
              + " node: {} record={}",
          e.getMessage(),
          record.key());
      return null;
    }
  }

  private void requestSampling() {
    try {
      thread.execute(this::startSampling);
    } catch (RejectedExecutionException e) { // would halt the metadata replica
      LOG.debug("The node is stopping; rates of topics are no longer measured", e);
    }
  }

  private void startSampling() {
    if (!sampling) {
      sampling = true;
      sampledAtNanos = System.nanoTime();
      thread.schedule(this::sample, SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** Runs only while topics are registered, so that an idle node does not wake up. */
  private void sample() {
    long now = System.nanoTime();
    traffic.sampleRates(Math.max(1, now - sampledAtNanos) / 1e9);
    sampledAtNanos = now;
    if (traffic.isCounting()) {
      thread.schedule(this::sample, SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
    } else {
      sampling = false;
    }
  }

  /** Returns the registered topics of a tenant, ordered by topic. */
  public List<RegisteredTopic> list(String tenant) {
    return topics.values().stream()
        .filter(topic -> topic.tenant().equals(tenant))
        .sorted(ORDER)
        .toList();
  }

  /** Returns a registered topic; null if it is not registered. */
  public @Nullable RegisteredTopic find(String tenant, String topic) {
    return topics.get(StoredTopic.key(tenant, topic));
  }

  /**
   * Registers a topic. Fails with INVALID, EXISTS, FULL, CHANGED or UNAVAILABLE.
   *
   * @param topic a valid topic name
   */
  public CompletableFuture<RegisteredTopic> add(String tenant, String topic) {
    int bytes = topic.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_TOPIC_BYTES) {
      return CompletableFuture.failedFuture(
          new TopicMetricsException(
              Kind.INVALID,
              "topic must be at most %d bytes long in UTF-8, not %d"
                  .formatted(MAX_TOPIC_BYTES, bytes)));
    }
    String key = StoredTopic.key(tenant, topic);
    RegisteredTopic added = new RegisteredTopic(tenant, topic, clock.instant(), null);
    return read()
        .thenCompose(
            view -> {
              if (view.get(key) != null) {
                throw new TopicMetricsException(
                    Kind.EXISTS, "topic '" + topic + "' is already registered");
              }
              if (view.withPrefix(StoredTopic.PREFIX).size() >= MAX_TOPICS) {
                throw new TopicMetricsException(
                    Kind.FULL,
                    "the cluster has %d registered topics, which is the maximum; delete some first"
                        .formatted(MAX_TOPICS));
              }
              return write(List.of(Change.put(key, StoredTopic.encode(added), Change.ABSENT)));
            })
        .thenApply(written -> added);
  }

  /** Stops counting the messages of a topic. Fails with NOT_FOUND, CHANGED or UNAVAILABLE. */
  public CompletableFuture<Void> remove(String tenant, String topic) {
    return read()
        .thenCompose(
            view -> {
              MetadataRecord record = require(view, tenant, topic);
              return write(List.of(Change.remove(record.key(), record.version())));
            });
  }

  /** Sets the counters of a topic to zero. Fails with NOT_FOUND, CHANGED or UNAVAILABLE. */
  public CompletableFuture<Void> reset(String tenant, String topic) {
    return read()
        .thenCompose(view -> write(List.of(reset(require(view, tenant, topic), clock.instant()))));
  }

  /** Sets the counters of all topics of a tenant to zero. Fails with CHANGED or UNAVAILABLE. */
  public CompletableFuture<Void> resetAll(String tenant) {
    return read()
        .thenCompose(
            view -> {
              Instant now = clock.instant();
              List<Change> resets =
                  view.withPrefix(StoredTopic.PREFIX).stream()
                      .filter(record -> decode(record).tenant().equals(tenant))
                      .map(record -> reset(record, now))
                      .toList();
              return writeNext(resets);
            });
  }

  private CompletableFuture<Void> writeNext(List<Change> changes) {
    if (changes.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    int size = Math.min(MAX_BATCH, changes.size());
    return write(changes.subList(0, size))
        .thenCompose(written -> writeNext(changes.subList(size, changes.size())));
  }

  private static Change reset(MetadataRecord record, Instant now) {
    RegisteredTopic topic = decode(record);
    RegisteredTopic reset =
        new RegisteredTopic(topic.tenant(), topic.topic(), topic.createdAt(), now);
    return Change.put(record.key(), StoredTopic.encode(reset), record.version());
  }

  private static MetadataRecord require(MetadataView view, String tenant, String topic) {
    MetadataRecord record = view.get(StoredTopic.key(tenant, topic));
    if (record == null) {
      throw new TopicMetricsException(Kind.NOT_FOUND, "topic '" + topic + "' is not registered");
    }
    return record;
  }

  private static RegisteredTopic decode(MetadataRecord record) {
    try {
      return StoredTopic.decode(record.value());
    } catch (MalformedBytesException e) {
      throw new TopicMetricsException(
          Kind.UNAVAILABLE, "this node cannot read the registered topic: " + e.getMessage());
    }
  }

  private CompletableFuture<MetadataView> read() {
    return client.read().exceptionally(TopicMetrics::rethrow);
  }

  private CompletableFuture<Void> write(List<Change> batch) {
    return client.write(batch).exceptionally(TopicMetrics::rethrow);
  }

  private static <T> T rethrow(Throwable failure) {
    Throwable cause = OperationException.unwrap(failure);
    if (!(cause instanceof MetadataClientException known)) {
      throw new CompletionException(cause);
    }
    throw switch (known.kind()) {
      case CHANGED ->
          new TopicMetricsException(
              Kind.CHANGED, "another request changed this topic at the same time; try again");
      case UNAVAILABLE ->
          new TopicMetricsException(Kind.UNAVAILABLE, String.valueOf(known.getMessage()));
    };
  }

  @Override
  public void close() {
    metadata.unwatch(listener);
    thread.shutdownNow();
  }
}
