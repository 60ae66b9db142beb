package io.fjordmq.broker.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.session.DropReason;
import io.fjordmq.broker.session.RejectedWork;
import io.fjordmq.broker.session.SessionObserver;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts session events, and can forward limits and drops to the metrics. */
public final class CountingSessionObserver implements SessionObserver {
  public final Map<CloseReason, Integer> refused = new ConcurrentHashMap<>();
  public final Map<CloseReason, Integer> disconnected = new ConcurrentHashMap<>();
  public final Map<DropReason, Long> dropped = new ConcurrentHashMap<>();
  public final Map<String, Integer> limits = new ConcurrentHashMap<>();
  public final Map<RejectedWork, Integer> overloaded = new ConcurrentHashMap<>();
  public final AtomicInteger connected = new AtomicInteger();
  public final AtomicInteger inflight = new AtomicInteger();
  public final AtomicInteger queued = new AtomicInteger();
  public final List<Long> deliveredAfterMillis = new CopyOnWriteArrayList<>();
  public final AtomicInteger acknowledged = new AtomicInteger();
  public final AtomicInteger heldBack = new AtomicInteger();
  final AtomicInteger subscribed = new AtomicInteger();
  public SessionObserver metrics = new SessionObserver() {};

  @Override
  public void onConnected(int protocolLevel, boolean persistent) {
    connected.incrementAndGet();
  }

  @Override
  public void onPacketReceived(int type) {
    metrics.onPacketReceived(type);
  }

  @Override
  public void onRefused(CloseReason reason) {
    refused.merge(reason, 1, Integer::sum);
  }

  @Override
  public void onDisconnected(CloseReason reason) {
    disconnected.merge(reason, 1, Integer::sum);
  }

  @Override
  public void onDropped(DropReason reason, long count) {
    dropped.merge(reason, count, Long::sum);
    metrics.onDropped(reason, count);
  }

  @Override
  public void onLimitReached(Limit limit, String tenant) {
    limits.merge(limit.label() + (tenant.isEmpty() ? "" : " " + tenant), 1, Integer::sum);
    metrics.onLimitReached(limit, tenant);
  }

  @Override
  public void onRefusedAsOverloaded(RejectedWork work) {
    overloaded.merge(work, 1, Integer::sum);
  }

  @Override
  public void onAcknowledged(long nanos) {
    acknowledged.incrementAndGet();
  }

  @Override
  public void onDelivered(long millis) {
    deliveredAfterMillis.add(millis);
  }

  @Override
  public void addInflight(int delta) {
    inflight.addAndGet(delta);
  }

  @Override
  public void addQueued(int deltaMessages, long deltaBytes) {
    queued.addAndGet(deltaMessages);
  }

  @Override
  public void onBackPressureChanged(boolean held) {
    heldBack.addAndGet(held ? 1 : -1);
  }

  @Override
  public void addSubscriptions(int delta) {
    subscribed.addAndGet(delta);
  }

  /** Everything counted per connection is released with the last connection. */
  void assertNothingLeft() {
    assertThat(List.of(inflight.get(), queued.get(), heldBack.get(), subscribed.get()))
        .as("inflight, queued, held back, subscribed")
        .containsOnly(0);
  }
}
