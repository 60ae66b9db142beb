package io.fjordmq.broker.topicmetrics;

import io.fjordmq.broker.records.RecordException;
import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.broker.records.RecordType;
import io.fjordmq.broker.records.ReplicatedRecords;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataClient;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topics of the cluster whose messages are counted. Every node counts the messages that it
 * routes and sends.
 *
 * <p>Thread-safe; nothing blocks. Futures fail with {@link RecordException} and complete on a
 * thread of the metadata group, which must not be blocked.
 */
public final class TopicMetrics implements AutoCloseable {
  /** Every change of the metadata copies the map of all records, so there must not be too many. */
  public static final int MAX_TOPICS = 512;

  /** The same for what callers that are bound to a tenant register, so that some are left. */
  public static final int MAX_TOPICS_OF_TENANT = 64;

  private static final Logger LOG = LoggerFactory.getLogger(TopicMetrics.class);
  private static final int MAX_TOPIC_BYTES = 1_024;
  private static final long SAMPLE_MILLIS = 5_000;

  private static final RecordType<RegisteredTopic> TYPE =
      new RecordType<>(StoredTopic.PREFIX, "this topic", StoredTopic::decode);

  private static final Comparator<RegisteredTopic> ORDER =
      Comparator.comparing(RegisteredTopic::tenant).thenComparing(RegisteredTopic::topic);

  private final ReplicatedRecords<RegisteredTopic> records;
  private final InstantSource clock;
  private final TopicTraffic traffic = new TopicTraffic();
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "topic-metrics"));

  // By metadata key; changed on the metadata thread only.
  private volatile Map<String, RegisteredTopic> topics = Map.of();
  private boolean sampling; // only used on the thread
  private long sampledAtNanos;

  /**
   * The parts of the node that topic metrics need.
   *
   * @param clock cluster time
   */
  public record Dependencies(MetadataClient metadata, InstantSource clock) {}

  /** Reads the registered topics and follows their changes. */
  public static TopicMetrics open(Dependencies dependencies) {
    TopicMetrics opened = new TopicMetrics(dependencies);
    opened.records.follow(
        UnaryOperator.identity(),
        "this node does not count the messages of the topic",
        (all, written) -> opened.onChanged(all));
    return opened;
  }

  private TopicMetrics(Dependencies dependencies) {
    records = new ReplicatedRecords<>(dependencies.metadata, TYPE);
    clock = dependencies.clock;
  }

  /** Counts the messages of the registered topics on this node. */
  public TopicTraffic traffic() {
    return traffic;
  }

  private void onChanged(Map<String, RegisteredTopic> registered) {
    topics = Map.copyOf(registered);
    traffic.replace(registered.values());
    if (!registered.isEmpty()) {
      requestSampling();
    }
  }

  private void requestSampling() {
    try {
      thread.execute(this::startSampling);
    } catch (RejectedExecutionException e) { // would halt the metadata replica
      LOG.debug("Stopped measuring topic rates: the node is stopping", e);
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
   * Registers a topic. Fails with INVALID, EXISTS, FULL or UNAVAILABLE.
   *
   * @param topic a valid topic name
   */
  public CompletableFuture<RegisteredTopic> add(String tenant, String topic) {
    return add(tenant, topic, MAX_TOPICS);
  }

  /**
   * The same for a caller that must leave some topics to others.
   *
   * @param maxOfTenant maximum number of registered topics of the tenant
   */
  public CompletableFuture<RegisteredTopic> add(String tenant, String topic, int maxOfTenant) {
    int bytes = topic.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_TOPIC_BYTES) {
      return CompletableFuture.failedFuture(
          new RecordException(
              Kind.INVALID,
              "topic must be at most %d bytes long in UTF-8, not %d"
                  .formatted(MAX_TOPIC_BYTES, bytes)));
    }
    String key = StoredTopic.key(tenant, topic);
    RegisteredTopic added = new RegisteredTopic(tenant, topic, clock.instant(), null);
    return records
        .read()
        .thenCompose(
            view -> {
              if (view.get(key) != null) {
                throw new RecordException(Kind.EXISTS, exists(topic));
              }
              if (list(tenant).size() >= maxOfTenant) {
                throw new RecordException(
                    Kind.FULL,
                    "the tenant has %d registered topics, which is the maximum; delete some first"
                        .formatted(maxOfTenant));
              }
              if (records.count(view) >= MAX_TOPICS) {
                throw new RecordException(
                    Kind.FULL,
                    "the cluster has %d registered topics, which is the maximum; delete some first"
                        .formatted(MAX_TOPICS));
              }
              return records.create(key, StoredTopic.encode(added), exists(topic));
            })
        .thenApply(written -> added);
  }

  private static String exists(String topic) {
    return "topic '" + topic + "' is already registered";
  }

  /** Stops counting the messages of a topic. Fails with NOT_FOUND, CHANGED or UNAVAILABLE. */
  public CompletableFuture<Void> remove(String tenant, String topic) {
    return records
        .read()
        .thenCompose(
            view -> {
              MetadataRecord record = require(view, tenant, topic);
              return records.write(Change.remove(record.key(), record.version()));
            });
  }

  /** Sets the counters of a topic to zero. Fails with NOT_FOUND, CHANGED or UNAVAILABLE. */
  public CompletableFuture<Void> reset(String tenant, String topic) {
    return records
        .read()
        .thenCompose(view -> records.write(reset(require(view, tenant, topic), clock.instant())));
  }

  /** Sets the counters of all topics of a tenant to zero. Fails with CHANGED or UNAVAILABLE. */
  public CompletableFuture<Void> resetAll(String tenant) {
    return records
        .read()
        .thenCompose(
            view -> {
              Instant now = clock.instant();
              return records.writeAll(
                  records.select(view, topic -> topic.tenant().equals(tenant)).stream()
                      .map(record -> reset(record, now))
                      .toList());
            });
  }

  private Change reset(MetadataRecord record, Instant now) {
    RegisteredTopic topic = records.decode(record);
    RegisteredTopic reset =
        new RegisteredTopic(topic.tenant(), topic.topic(), topic.createdAt(), now);
    return Change.put(record.key(), StoredTopic.encode(reset), record.version());
  }

  private static MetadataRecord require(MetadataView view, String tenant, String topic) {
    MetadataRecord record = view.get(StoredTopic.key(tenant, topic));
    if (record == null) {
      throw new RecordException(Kind.NOT_FOUND, "topic '" + topic + "' is not registered");
    }
    return record;
  }

  @Override
  public void close() {
    records.close();
    thread.shutdownNow();
  }
}
