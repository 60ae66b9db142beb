package io.fjordmq.cluster.consensus.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.testing.Simulation;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Carries messages between addresses with configurable faults: loss, delay, reordering, duplication
 * and partitions. Messages from a node to itself are never lost. Messages must be immutable.
 */
public final class SimNetwork {
  private final Simulation simulation;
  private final Map<Address, Receiver> receivers = new HashMap<>();
  private final Set<Link> cuts = new HashSet<>();
  private Faults faults = Faults.NONE;

  public SimNetwork(Simulation simulation) {
    this.simulation = simulation;
  }

  /**
   * The destination of a message.
   *
   * @param node the node
   * @param service the part of the node, for example the name of a group
   */
  public record Address(NodeId node, String service) {}

  /** Handles messages that arrive at an address. */
  @FunctionalInterface
  public interface Receiver {
    void receive(Address from, Object message);
  }

  /**
   * The faults of the network.
   *
   * @param lossPercent messages that never arrive
   * @param duplicatePercent messages that arrive twice
   * @param minDelayMillis minimum delay
   * @param maxDelayMillis usual maximum delay; messages overtake each other
   * @param slowPercent messages that take up to ten times as long
   */
  public record Faults(
      double lossPercent,
      double duplicatePercent,
      long minDelayMillis,
      long maxDelayMillis,
      double slowPercent) {
    public static final Faults NONE = new Faults(0, 0, 1, 1, 0);
    public static final Faults UNRELIABLE = new Faults(5, 3, 0, 15, 3);
  }

  private record Link(NodeId from, NodeId to) {}

  public Simulation simulation() {
    return simulation;
  }

  public void setFaults(Faults faults) {
    this.faults = faults;
  }

  public Faults faults() {
    return faults;
  }

  /** Registers the receiver of an address; replaces the previous one. */
  public void listen(Address address, Receiver receiver) {
    receivers.put(address, receiver);
  }

  public void unregister(Address address) {
    receivers.remove(address);
  }

  /** Removes all receivers of a node that has ended. */
  public void unregisterAll(NodeId node) {
    receivers.keySet().removeIf(address -> address.node().equals(node));
  }

  /** Blocks messages in this direction; messages in flight are lost. */
  public void cut(NodeId from, NodeId to) {
    cuts.add(new Link(from, to));
  }

  /** Whether messages pass in this direction. */
  public boolean passes(NodeId from, NodeId to) {
    return !cuts.contains(new Link(from, to));
  }

  /** Returns the delay of the next message. */
  public long nextDelayMillis() {
    long delay = simulation.between(faults.minDelayMillis, faults.maxDelayMillis);
    return simulation.chance(faults.slowPercent)
        ? simulation.between(delay, faults.maxDelayMillis * 10)
        : delay;
  }

  /** Partitions the nodes: messages pass only inside the group and inside the rest. */
  public void partition(Collection<NodeId> all, Collection<NodeId> group) {
    for (NodeId inside : group) {
      for (NodeId outside : all) {
        if (!group.contains(outside)) {
          cut(inside, outside);
          cut(outside, inside);
        }
      }
    }
  }

  /** Removes all partitions. */
  public void heal() {
    cuts.clear();
  }

  /** Sends a message without waiting for its delivery. */
  public void send(Address from, Address to, Object message) {
    if (!from.node().equals(to.node()) && simulation.chance(faults.lossPercent)) {
      return;
    }
    deliverLater(from, to, message);
    if (simulation.chance(faults.duplicatePercent)) {
      deliverLater(from, to, message);
    }
  }

  private void deliverLater(Address from, Address to, Object message) {
    simulation.schedule(nextDelayMillis(), () -> deliver(from, to, message));
  }

  private void deliver(Address from, Address to, Object message) {
    if (!passes(from.node(), to.node())) {
      return;
    }
    @Nullable Receiver receiver = receivers.get(to);
    if (receiver != null) {
      receiver.receive(from, message);
    }
  }
}
