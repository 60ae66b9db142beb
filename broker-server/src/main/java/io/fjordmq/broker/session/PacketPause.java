package io.fjordmq.broker.session;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;

/**
 * Why the packets of a client have to wait: the authorization of an earlier one is pending, an
 * earlier one is large and continues in another slice, or this node has no valid lease. Meanwhile
 * the client is not read. Event loop only.
 */
final class PacketPause implements PausedClients.Client {
  private final EventLoop loop;
  private final ReadGate gate;
  private final PausedClients pausedClients;
  private Runnable resumed = () -> {};
  private final List<Runnable> whenServed = new ArrayList<>(0);
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
  void onResume(Runnable then) {
    resumed = then;
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
    return isPaused() || !mayAct();
  }

  private boolean isPaused() {
    return pendingAuthorizations + incompletePackets > 0;
  }

  /** Whether packets wait only because a large packet needs more slices. */
  boolean isBetweenSlices() {
    return incompletePackets > 0 && pendingAuthorizations == 0 && mayAct();
  }

  /** Whether this node has a valid lease; if not, the client is paused until it has. */
  boolean mayAct() {
    if (!waitingForLease && !ended && !pausedClients.mayServe()) {
      waitingForLease = true;
      gate.close(ReadGate.LEASE);
      pausedClients.add(this);
    }
    return !waitingForLease;
  }

  /** Runs the action now or once this node has a valid lease; never if the session ends first. */
  void whenServed(Runnable action) {
    if (mayAct()) {
      action.run();
    } else {
      whenServed.add(action);
    }
  }

  @Override
  public void release() {
    waitingForLease = false;
    if (ended) {
      return;
    }
    List<Runnable> waiting = List.copyOf(whenServed);
    whenServed.clear();
    waiting.forEach(this::whenServed);
    continueReading();
  }

  private void continueReading() {
    if (resuming) {
      return; // called by the loop that is running; it continues by itself
    }
    resuming = true;
    try {
      resumed.run();
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
      loop.execute(resumed); // releases the packets that waited for the lease
    }
  }
}
