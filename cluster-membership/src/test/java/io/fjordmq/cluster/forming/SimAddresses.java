package io.fjordmq.cluster.forming;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.testing.Simulation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of simulated nodes, and the seeds that they know. With names, an address never
 * changes and the seeds list all nodes. Otherwise every start has a new address, and the seeds are
 * the addresses of the running nodes as they were a while ago, like those of a headless service.
 */
final class SimAddresses {
  private static final long MAX_AGE_MILLIS = 5_000;

  private final Simulation simulation;
  private final boolean named;
  private final List<NodeId> slots;
  private final Map<NodeId, NodeAddress> current = new HashMap<>();
  private List<NodeAddress> published = List.of();
  private long publishedMillis;
  private int starts;

  SimAddresses(Simulation simulation, boolean named, List<NodeId> slots) {
    this.simulation = simulation;
    this.named = named;
    this.slots = slots;
  }

  NodeAddress onStart(NodeId slot) {
    NodeAddress address =
        named ? new NodeAddress(slot.value(), 1) : new NodeAddress("10.0.0." + ++starts, 1);
    current.put(slot, address);
    return address;
  }

  void onEnd(NodeId slot) {
    current.remove(slot);
  }

  /** The node that listens at the address; null if there is none. */
  @Nullable NodeId find(NodeAddress address) {
    return current.entrySet().stream()
        .filter(entry -> entry.getValue().equals(address))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(null);
  }

  List<NodeAddress> seeds() {
    if (named) {
      return slots.stream().map(slot -> new NodeAddress(slot.value(), 1)).toList();
    }
    if (simulation.now() - publishedMillis >= simulation.between(0, MAX_AGE_MILLIS)) {
      published = new ArrayList<>(current.values());
      publishedMillis = simulation.now();
    }
    return published;
  }
}
