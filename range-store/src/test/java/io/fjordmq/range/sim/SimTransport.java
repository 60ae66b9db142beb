package io.fjordmq.range.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.consensus.sim.SimNetwork.Address;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.RangeTransport;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Sends a client's attempts over the simulated network, with its losses, delays and duplicates. */
public class SimTransport implements RangeTransport {
  private static final String SERVICE = "ranges";

  private final SimNetwork network;
  private final Address self;
  private final Map<Long, Consumer<RangeResult>> replies = new HashMap<>();

  /**
   * Starts at a random number, so that a client never mistakes a reply to a call of an earlier run
   * for one of its own.
   */
  private long calls;

  /** Creates the transport of a client; a test may break it. */
  @FunctionalInterface
  public interface Factory {
    RangeTransport create(SimCluster cluster, NodeId client);
  }

  private interface Call {
    void run(RangeTransport server, NodeId node, Consumer<RangeResult> reply);
  }

  private record Request(long number, Call call) {}

  private record Reply(long number, RangeResult result) {}

  public SimTransport(SimCluster cluster, NodeId client) {
    this.network = cluster.network();
    this.calls = cluster.simulation().random().nextLong();
    this.self = new Address(client, "client");
    network.listen(self, (from, message) -> onReply((Reply) message));
  }

  /** Makes a node serve the requests that arrive for it. */
  static void serve(SimNetwork network, NodeId node, RangeTransport server) {
    Address address = new Address(node, SERVICE);
    network.listen(
        address,
        (from, message) -> {
          Request request = (Request) message;
          request.call.run(
              server,
              node,
              result -> network.send(address, from, new Reply(request.number, result)));
        });
  }

  private void onReply(Reply reply) {
    Consumer<RangeResult> waiting = replies.get(reply.number);
    if (waiting != null) {
      waiting.accept(reply.result); // also duplicates
    }
  }

  private void send(NodeId node, Consumer<RangeResult> reply, Call call) {
    long number = ++calls;
    replies.put(number, reply);
    network.send(self, new Address(node, SERVICE), new Request(number, call));
  }

  @Override
  public void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply) {
    // A duplicated message is a separate array, because leaders stamp the array in place.
    send(node, reply, (server, at, response) -> server.propose(at, range, entry.clone(), response));
  }

  @Override
  public void query(
      NodeId node,
      RangeId range,
      long epochVersion,
      long minIndex,
      byte[] query,
      Consumer<RangeResult> reply) {
    send(
        node,
        reply,
        (server, at, response) -> server.query(at, range, epochVersion, minIndex, query, response));
  }
}
