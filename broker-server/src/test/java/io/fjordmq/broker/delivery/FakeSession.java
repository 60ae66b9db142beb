package io.fjordmq.broker.delivery;

import io.fjordmq.api.Qos;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A connected client that keeps what it is given. */
final class FakeSession implements LiveSession {
  static final String TENANT = "acme";

  final String clientId;
  final ManualLoop loop;
  final boolean persistent;
  final List<Delivery> taken = new ArrayList<>();
  final List<Long> appended = new ArrayList<>();
  final List<InboxHandle> fenced = new ArrayList<>();
  int flushes;
  int appendCalls;
  int looks;
  CompletableFuture<Void> looking = CompletableFuture.completedFuture(null);
  boolean closed;
  boolean broken;
  boolean mayNotRead;
  boolean fatal;

  /** So many deliveries before kept ones stay in their store. */
  int room = Integer.MAX_VALUE;

  int refusals;

  FakeSession(String clientId, ManualLoop loop, boolean persistent) {
    this.clientId = clientId;
    this.loop = loop;
    this.persistent = persistent;
  }

  @Override
  public String tenant() {
    return TENANT;
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
      throw new IllegalStateException("more than QoS 0 comes through the inbox");
    }
    if (delivery.isKept() && taken.size() >= room) {
      refusals++;
      return DeliveryResult.NO_ROOM;
    }
    taken.add(delivery);
    return DeliveryResult.TAKEN;
  }

  @Override
  public void flush() {
    requireLoop();
    flushes++;
  }

  @Override
  public void appended(InboxHandle handle, List<InboxEntry> entries) {
    requireLoop();
    appendCalls++;
    entries.forEach(entry -> appended.add(entry.sequence()));
  }

  @Override
  public CompletableFuture<?> refetch() {
    requireLoop();
    looks++;
    if (broken) {
      throw new IllegalStateException("broken session");
    }
    return looking;
  }

  @Override
  public void fenced(InboxHandle handle) {
    requireLoop();
    fenced.add(handle);
  }

  @Override
  public void takenOver() {
    requireLoop();
    closed = true;
  }

  /** Payloads taken so far, as text. */
  List<String> texts() {
    return taken.stream().map(d -> Messages.text(d.message())).toList();
  }

  private void requireLoop() {
    if (!loop.isInside()) {
      throw new AssertionError("session of " + clientId + " called outside of its event loop");
    }
  }
}
