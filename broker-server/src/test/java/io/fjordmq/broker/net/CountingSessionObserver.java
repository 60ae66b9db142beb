package io.fjordmq.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.session.CloseReason;
import io.fjordmq.broker.session.DropReason;
import io.fjordmq.broker.session.RejectedWork;
import io.fjordmq.broker.session.SessionObserver;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts what sessions tell, and can tell the metrics of limits and drops, too. */
final class CountingSessionObserver implements SessionObserver {
  final Map<CloseReason, Integer> refused = new ConcurrentHashMap<>();
  final Map<CloseReason, Integer> disconnected = new ConcurrentHashMap<>();
  final Map<DropReason, Long> dropped = new ConcurrentHashMap<>();
  final Map<String, Integer> limits = new ConcurrentHashMap<>();
  final Map<RejectedWork, Integer> overloaded = new ConcurrentHashMap<>();
  final AtomicInteger connected = new AtomicInteger();
  final AtomicInteger inflight = new AtomicInteger();
  final AtomicInteger queued = new AtomicInteger();
  final AtomicInteger acknowledged = new AtomicInteger();
  final AtomicInteger heldBack = new AtomicInteger();
  final AtomicInteger subscribed = new AtomicInteger();
  SessionObserver metrics = new SessionObserver() {};

  @Override
  public void connected(int protocolLevel, boolean persistent) {
    connected.incrementAndGet();
  }

  @Override
  public void packetReceived(int type) {
    metrics.packetReceived(type);
  }

  @Override
  public void refused(CloseReason reason) {
    refused.merge(reason, 1, Integer::sum);
  }

  @Override
  public void disconnected(CloseReason reason) {
    disconnected.merge(reason, 1, Integer::sum);
  }

  @Override
  public void dropped(DropReason reason, long count) {
    dropped.merge(reason, count, Long::sum);
    metrics.dropped(reason, count);
  }

  @Override
  public void limitReached(Limit limit, String tenant) {
    limits.merge(limit.label() + (tenant.isEmpty() ? "" : " " + tenant), 1, Integer::sum);
    metrics.limitReached(limit, tenant);
  }

  @Override
  public void refusedAsOverloaded(RejectedWork work) {
    overloaded.merge(work, 1, Integer::sum);
  }

  @Override
  public void acknowledged(long nanos) {
    acknowledged.incrementAndGet();
  }

  @Override
  public void inflight(int delta) {
    inflight.addAndGet(delta);
  }

  @Override
  public void queued(int deltaMessages, long deltaBytes) {
    queued.addAndGet(deltaMessages);
  }

  @Override
  public void heldBack(boolean held) {
    heldBack.addAndGet(held ? 1 : -1);
  }

  @Override
  public void subscribed(int delta) {
    subscribed.addAndGet(delta);
  }

  /** What is counted while it is there is gone with the last connection. */
  void assertNothingLeft() {
    assertThat(List.of(inflight.get(), queued.get(), heldBack.get(), subscribed.get()))
        .as("inflight, queued, held back, subscribed")
        .containsOnly(0);
  }
}
