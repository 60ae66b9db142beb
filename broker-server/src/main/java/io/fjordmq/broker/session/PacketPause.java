package io.fjordmq.broker.session;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;

/**
 * Tracks why the packets of a client wait: the authorization of an earlier one is pending, an
 * earlier one is large and continues in another slice, or this node has no valid lease. Meanwhile
 * the client is not read. Event loop only.
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

  /** Sets the callback that handles the packets that were held back. */
  void setResumeCallback(Runnable then) {
    resumeCallback = then;
  }

  @Override
  public EventLoop loop() {
    return loop;
  }

  /** Packets wait until {@link #endAuthorization}: that of an earlier packet is pending. */
  void beginAuthorization() {
    pendingAuthorizations++;
    gate.close(ReadGate.PAUSED);
  }

  void endAuthorization() {
    pendingAuthorizations--;
    continueReading();
  }

  /** Packets wait until {@link #endSlices}: a large packet continues in another slice. */
  void beginSlices() {
    incompletePackets++;
    gate.close(ReadGate.PAUSED);
  }

  void endSlices() {
    incompletePackets--;
    continueReading();
  }

  /** Whether the client's packets have to wait. */
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

  /** Pauses the client until this node has a valid lease; returns whether it has one now. */
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
      return; // called by the loop that is running; it continues by itself
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

  /** The session has ended: nothing waits any more. */
  void end() {
    ended = true;
    pausedClients.remove(this);
    if (waitingForLease) {
      waitingForLease = false;
      loop.execute(resumeCallback); // releases the packets that waited for the lease
    }
  }
}
