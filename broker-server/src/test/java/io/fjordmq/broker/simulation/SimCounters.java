package io.fjordmq.broker.simulation;

import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.session.DropReason;
import io.fjordmq.broker.session.SessionObserver;
import java.util.EnumMap;
import java.util.Map;

/** Adds up session events, and fails on an internal error of the broker. */
final class SimCounters implements SessionObserver {
  private final Map<CloseReason, Integer> closed = new EnumMap<>(CloseReason.class);
  private final Map<DropReason, Long> dropped = new EnumMap<>(DropReason.class);
  private int inflight;
  private int queuedMessages;
  private long queuedBytes;
  private int heldBack;

  int inflight() {
    return inflight;
  }

  int queuedMessages() {
    return queuedMessages;
  }

  long queuedBytes() {
    return queuedBytes;
  }

  int heldBack() {
    return heldBack;
  }

  Map<CloseReason, Integer> closed() {
    return closed;
  }

  Map<DropReason, Long> dropped() {
    return dropped;
  }

  @Override
  public void onRefused(CloseReason reason) {
    count(reason);
  }

  @Override
  public void onDisconnected(CloseReason reason) {
    count(reason);
  }

  private void count(CloseReason reason) {
    closed.merge(reason, 1, Integer::sum);
  }

  @Override
  public void onDropped(DropReason reason, long count) {
    dropped.merge(reason, count, Long::sum);
  }

  @Override
  public void addInflight(int delta) {
    inflight += delta;
  }

  @Override
  public void addQueued(int deltaMessages, long deltaBytes) {
    queuedMessages += deltaMessages;
    queuedBytes += deltaBytes;
  }

  @Override
  public void onBackPressureChanged(boolean held) {
    heldBack += held ? 1 : -1;
  }
}
