package io.fjordmq.retain.client;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.sim.LocalRanges;
import io.fjordmq.retain.RetainQuota;
import io.fjordmq.retain.RetainReplicas;
import io.fjordmq.retain.RetainSettings;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.retain.RetainVersion;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A retain store with a few ranges that can crash and restart. */
final class RetainFixture implements AutoCloseable {
  private final RetainSettings settings;
  private final RetainReplicas replicas;
  private final LocalRanges ranges;

  private final RetainQuota.Limits limits;
  final List<String> rejected = new ArrayList<>();

  RetainFixture(RetainSettings settings) {
    this(settings, RetainQuota.Limits.NONE, List.of());
  }

  RetainFixture(RetainSettings settings, RetainQuota.Limits limits) {
    this(settings, limits, List.of());
  }

  /**
   * @param cuts additional split keys; must sort after those of the settings
   */
  RetainFixture(RetainSettings settings, RetainQuota.Limits limits, List<byte[]> cuts) {
    this.settings = settings;
    this.limits = limits;
    this.replicas = new RetainReplicas(settings);
    StoreSpec defaultSpec = replicas.spec();
    List<byte[]> splits = new ArrayList<>(defaultSpec.initialSplitKeys());
    splits.addAll(cuts);
    this.ranges =
        LocalRanges.of(
            new StoreSpec(
                defaultSpec.name(),
                splits,
                defaultSpec.coprocessorFactory(),
                defaultSpec.effects()));
  }

  ReplicatedRetainStore store() {
    return new ReplicatedRetainStore(
        settings,
        quota(),
        ranges.client(RetainReplicas.STORE),
        replicas,
        () -> java.time.Instant.ofEpochMilli(ranges.nowMillis()));
  }

  CompletableFuture<Void> sweep() {
    return new RetainSweeper(
            ranges.client(RetainReplicas.STORE),
            replicas,
            () -> java.time.Instant.ofEpochMilli(ranges.nowMillis()))
        .sweep();
  }

  private RetainQuota quota() {
    return new RetainQuota() {
      @Override
      public Limits of(String tenant) {
        return limits;
      }

      @Override
      public void onRejected(String tenant, RetainStore.PutOutcome outcome) {
        rejected.add(tenant + " " + outcome);
      }
    };
  }

  RetainStore.PutOutcome put(String tenant, String topic, String payload) {
    return put(tenant, topic, payload, Message.NEVER);
  }

  RetainStore.PutOutcome put(String tenant, String topic, String payload, long expiresAtMillis) {
    return put("publisher", RetainVersion.NONE, tenant, topic, payload, expiresAtMillis);
  }

  /** Retains a message of a client's connection. */
  RetainStore.PutOutcome put(
      String publisher,
      RetainVersion retainVersion,
      String tenant,
      String topic,
      String payload,
      long expiresAtMillis) {
    Message message =
        new Message(
            new Topic(topic),
            payload.getBytes(StandardCharsets.UTF_8),
            Qos.AT_LEAST_ONCE,
            true,
            MessageProperties.NONE,
            publisher,
            ranges.nowMillis(),
            expiresAtMillis);
    return store().put(tenant, message, retainVersion).join();
  }

  /** All messages that a filter matches as {@code topic=payload}, read page by page. */
  List<String> match(String tenant, String filter, int pageSize) {
    List<String> all = new ArrayList<>();
    byte[] cursor = null;
    do {
      RetainStore.Page page =
          store()
              .match(tenant, TopicFilter.parse(filter), cursor, pageSize, Integer.MAX_VALUE)
              .join();
      for (Message m : page.messages()) {
        all.add(m.topic() + "=" + new String(m.payload(), StandardCharsets.UTF_8));
      }
      cursor = page.cursor();
    } while (cursor != null);
    return all;
  }

  long nowMillis() {
    return ranges.nowMillis();
  }

  void advance(Duration time) {
    ranges.advance(time);
  }

  void crash() {
    ranges.crash();
  }

  void restart() {
    ranges.checkpoint();
    ranges.restart();
  }

  @Override
  public void close() {
    ranges.close();
  }
}
