package io.fjordmq.broker.session;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;

/**
 * Tracks why a client's packets must wait: the authorization of an earlier packet is pending, an
 * earlier large packet continues in another slice, or this node has no valid lease. In the
 * meantime, nothing is read from the client. Only used on the event loop.
 */
final class PacketPause implements PausedClients.Client {
  private final EventLoop loop;
  private final ReadGate gate;
  private final PausedClients pausedClients;
  private Runnable resumeCallback = () -> {};
  private final List<Runnable> waitingActions = new ArrayList<>(0);
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

  /** Sets the callback that handles the packets that have been waiting. */
  void setResumeCallback(Runnable then) {
    resumeCallback = then;
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
      waitingActions.add(action);
    }
  }

  @Override
  public void resume() {
    waitingForLease = false;
    if (ended) {
      return;
    }
    List<Runnable> waiting = List.copyOf(waitingActions);
    waitingActions.clear();
    waiting.forEach(this::whenLeaseValid);
    continueReading();
  }

  private void continueReading() {
    if (resuming) {
      return; // called from within the resume callback, which continues anyway
    }
    resuming = true;
    try {
      resumeCallback.run();
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
      loop.execute(resumeCallback); // releases the packets that were waiting for the lease
    }
  }
}
