package io.fjordmq.broker.session;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tracks why a client's packets must wait: the authorization of an earlier packet is pending, an
 * earlier large packet continues in another slice, or this node has no valid lease. In the
 * meantime, nothing is read from the client. Only used on the event loop.
 */
final class PacketPause implements PausedClients.Client {
  /** Is told when packets can be handled again. */
  interface Listener {
    /** Handles the packets that have been waiting, or releases them if the session has ended. */
    void onResumed();
  }

  private final EventLoop loop;
  private final ReadGate gate;
  private final PausedClients pausedClients;
  private @Nullable Listener listener; // null until the CONNACK
  private @Nullable List<Runnable> waitingActions; // null while there are none
  private int pendingAuthorizations;
  private int incompletePackets;
  private boolean waitingForLease;
  private boolean resuming;
  private boolean ended;

  PacketPause(EventLoop loop, ReadGate gate, PausedClients pausedClients) {
    this.loop = loop;
    this.gate = gate;
    this.pausedClients = pausedClients;
  }

  void setListener(Listener packets) {
    listener = packets;
  }

  @Override
  public EventLoop loop() {
    return loop;
  }

  /**
   * Makes packets wait until {@link #endAuthorization}, because the authorization of an earlier
   * packet is pending.
   */
  void beginAuthorization() {
    pendingAuthorizations++;
    gate.close(ReadGate.PAUSED);
  }

  void endAuthorization() {
    pendingAuthorizations--;
    continueReading();
  }

  /**
   * Makes packets wait until {@link #endSlices}, because a large packet continues in another slice.
   */
  void beginSlices() {
    incompletePackets++;
    gate.close(ReadGate.PAUSED);
  }

  void endSlices() {
    incompletePackets--;
    continueReading();
  }

  /** Whether the client's packets must wait. */
  boolean mustWait() {
    return isPaused() || !pauseUnlessLeaseValid();
  }

  private boolean isPaused() {
    return pendingAuthorizations + incompletePackets > 0;
  }

  /** Whether packets wait only because a large packet needs more slices. */
  boolean isBetweenSlices() {
    return incompletePackets > 0 && pendingAuthorizations == 0 && pauseUnlessLeaseValid();
  }

  /**
   * Pauses the client if this node has no valid lease, until it has one; returns whether the node
   * has a valid lease now.
   */
  boolean pauseUnlessLeaseValid() {
    if (!waitingForLease && !ended && !pausedClients.mayServe()) {
      waitingForLease = true;
      gate.close(ReadGate.LEASE);
      pausedClients.add(this);
    }
    return !waitingForLease;
  }

  /** Runs the action now or once this node has a valid lease; never if the session ends first. */
  void whenLeaseValid(Runnable action) {
    if (pauseUnlessLeaseValid()) {
      action.run();
    } else {
      waitingActions = waitingActions == null ? new ArrayList<>(1) : waitingActions;
      waitingActions.add(action);
    }
  }

  @Override
  public void resume() {
    waitingForLease = false;
    if (ended) {
      return;
    }
    List<Runnable> waiting = waitingActions == null ? List.of() : waitingActions;
    waitingActions = null;
    waiting.forEach(this::whenLeaseValid);
    continueReading();
  }

  private void onResumed() {
    if (listener != null) {
      listener.onResumed();
    }
  }

  private void continueReading() {
    if (resuming) {
      return; // called from within the resume callback, which continues anyway
    }
    resuming = true;
    try {
      onResumed();
    } finally {
      resuming = false;
    }
    if (!isPaused()) {
      gate.open(ReadGate.PAUSED);
    }
    if (!waitingForLease) {
      gate.open(ReadGate.LEASE);
    }
  }

  /** Called when the session has ended. Nothing waits anymore. */
  void end() {
    ended = true;
    pausedClients.remove(this);
    if (waitingForLease) {
      waitingForLease = false;
      loop.execute(this::onResumed); // releases the packets that were waiting for the lease
    }
  }
}
