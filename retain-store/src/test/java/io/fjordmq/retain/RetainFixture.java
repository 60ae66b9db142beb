package io.fjordmq.retain;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.sim.LocalRanges;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A retain store of a few ranges that can crash and restart. */
final class RetainFixture implements AutoCloseable {
  private final RetainSettings settings;
  private final RangedRetainStore.Replicas replicas = new RangedRetainStore.Replicas();
  private final LocalRanges ranges;

  private final RetainQuota.Limits limits;
  final List<String> refused = new ArrayList<>();

  RetainFixture(RetainSettings settings) {
    this(settings, RetainQuota.Limits.NONE, List.of());
  }

  RetainFixture(RetainSettings settings, RetainQuota.Limits limits) {
    this(settings, limits, List.of());
  }

  /**
   * @param cuts of ranges besides those that the settings make; all behind them
   */
  RetainFixture(RetainSettings settings, RetainQuota.Limits limits, List<byte[]> cuts) {
    this.settings = settings;
    this.limits = limits;
    StoreSpec usual = RangedRetainStore.spec(settings, replicas);
    List<byte[]> splits = new ArrayList<>(usual.initialSplitKeys());
    splits.addAll(cuts);
    this.ranges =
        LocalRanges.of(new StoreSpec(usual.name(), splits, usual.coprocessor(), usual.effects()));
  }

  RangedRetainStore store() {
    return new RangedRetainStore(
        settings,
        quota(),
        ranges.client("retain"),
        replicas,
        () -> java.time.Instant.ofEpochMilli(ranges.nowMillis()));
  }

  private RetainQuota quota() {
    return new RetainQuota() {
      @Override
      public Limits of(String tenant) {
        return limits;
      }

      @Override
      public void refused(String tenant, RetainStore.PutOutcome why) {
        refused.add(tenant + " " + why);
      }
    };
  }

  RetainStore.PutOutcome put(String tenant, String topic, String payload) {
    return put(tenant, topic, payload, Message.NEVER);
  }

  RetainStore.PutOutcome put(String tenant, String topic, String payload, long expiresAtMillis) {
    return put("publisher", RetainVersion.NONE, tenant, topic, payload, expiresAtMillis);
  }

  /** By a connection of a client. */
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

  /** Everything a filter matches as {@code topic=payload}, read page by page. */
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
