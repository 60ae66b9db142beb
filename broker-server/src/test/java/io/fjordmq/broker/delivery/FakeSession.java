package io.fjordmq.broker.delivery;

import io.fjordmq.api.Qos;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.dispatch.DeliveryResult;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A connected client that records its deliveries. */
public final class FakeSession implements LiveSession {
  public static final String TENANT = "acme";

  String tenant = TENANT;
  final String clientId;
  final ManualLoop loop;
  final boolean persistent;
  public final List<Delivery> deliveries = new ArrayList<>();
  final List<Long> appended = new ArrayList<>();
  final List<InboxHandle> fenced = new ArrayList<>();
  public int flushes;
  int appendCalls;
  int refetches;
  CompletableFuture<Void> refetchResult = CompletableFuture.completedFuture(null);
  public boolean closed;
  boolean broken;
  boolean mayNotRead;
  public boolean fatal;

  /** Number of deliveries after which messages that their store keeps are refused. */
  int capacity = Integer.MAX_VALUE;

  int refusals;

  public FakeSession(String clientId, ManualLoop loop, boolean persistent) {
    this.clientId = clientId;
    this.loop = loop;
    this.persistent = persistent;
  }

  @Override
  public String tenant() {
    return tenant;
  }

  @Override
  public String clientId() {
    return clientId;
  }

  @Override
  public boolean isPersistent() {
    return persistent;
  }

  @Override
  public Executor eventLoop() {
    return loop;
  }

  @Override
  public boolean inEventLoop() {
    return loop.isInside();
  }

  @Override
  public DeliveryResult deliver(Delivery delivery) {
    requireLoop();
    if (fatal) {
      throw new StackOverflowError("for the test");
    }
    if (broken) {
      throw new IllegalStateException("broken session");
    }
    if (closed) {
      return DeliveryResult.ENDED;
    }
    if (mayNotRead && delivery.isShared()) {
      return DeliveryResult.NOT_ALLOWED;
    }
    if (persistent && delivery.qos() != Qos.AT_MOST_ONCE) {
      throw new IllegalStateException("a persistent session gets only QoS 0 messages live");
    }
    if (delivery.isKept() && deliveries.size() >= capacity) {
      refusals++;
      return DeliveryResult.NO_CAPACITY;
    }
    deliveries.add(delivery);
    return DeliveryResult.ACCEPTED;
  }

  @Override
  public void flush() {
    requireLoop();
    flushes++;
  }

  @Override
  public void onAppended(InboxHandle handle, List<InboxEntry> entries) {
    requireLoop();
    appendCalls++;
    entries.forEach(entry -> appended.add(entry.sequence()));
  }

  @Override
  public CompletableFuture<?> refetch() {
    requireLoop();
    refetches++;
    if (broken) {
      throw new IllegalStateException("broken session");
    }
    return refetchResult;
  }

  @Override
  public void onFenced(InboxHandle handle) {
    requireLoop();
    fenced.add(handle);
  }

  @Override
  public void onTakenOver() {
    requireLoop();
    closed = true;
  }

  /** Payloads delivered so far, as text. */
  public List<String> texts() {
    return deliveries.stream().map(d -> Messages.text(d.message())).toList();
  }

  private void requireLoop() {
    if (!loop.isInside()) {
      throw new AssertionError("session of " + clientId + " called outside of its event loop");
    }
  }
}
