package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Transports the messages of {@link LoopbackPeers}. */
interface PeerWire {

  boolean passes(NodeId from, NodeId to);

  void cut(NodeId from, NodeId to);

  void heal();

  /** Delivers a message, or runs the second action when the connection is detected as dead. */
  void carry(NodeId from, NodeId to, Runnable arrival, Runnable onDead);

  /** Runs the action after this time, if ever. */
  void schedule(Duration delay, Runnable action);

  /** Synchronous, on the caller's stack; time does not pass. */
  final class Immediate implements PeerWire {
    private record Link(NodeId from, NodeId to) {}

    private final Set<Link> cuts = ConcurrentHashMap.newKeySet();

    @Override
    public boolean passes(NodeId from, NodeId to) {
      return !cuts.contains(new Link(from, to));
    }

    @Override
    public void cut(NodeId from, NodeId to) {
      cuts.add(new Link(from, to));
    }

    @Override
    public void heal() {
      cuts.clear();
    }

    @Override
    public void carry(NodeId from, NodeId to, Runnable arrival, Runnable onDead) {
      if (passes(from, to)) {
        arrival.run();
      } else {
        onDead.run();
      }
    }

    @Override
    public void schedule(Duration delay, Runnable action) {}
  }

  /** In virtual time, over the same faulty network as simulated Raft. */
  final class Simulated implements PeerWire {
    /** A dead connection is detected within this time. */
    private static final long SILENCE_MILLIS = 2_000;

    private final SimNetwork network;

    Simulated(SimNetwork network) {
      this.network = network;
    }

    @Override
    public boolean passes(NodeId from, NodeId to) {
      return network.passes(from, to);
    }

    @Override
    public void cut(NodeId from, NodeId to) {
      network.cut(from, to);
    }

    @Override
    public void heal() {
      network.heal();
    }

    @Override
    public void carry(NodeId from, NodeId to, Runnable arrival, Runnable onDead) {
      if (network.simulation().chance(network.faults().lossPercent())) {
        detectLossLater(onDead);
        return;
      }
      network
          .simulation()
          .schedule(
              network.nextDelayMillis(),
              () -> {
                if (passes(from, to)) {
                  arrival.run();
                } else {
                  detectLossLater(onDead);
                }
              });
    }

    private void detectLossLater(Runnable onDead) {
      network.simulation().schedule(network.simulation().between(1, SILENCE_MILLIS), onDead);
    }

    @Override
    public void schedule(Duration delay, Runnable action) {
      network.simulation().schedule(delay.toMillis(), action);
    }
  }
}
