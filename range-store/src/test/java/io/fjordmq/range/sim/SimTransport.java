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

/** Carries a client's attempts over the simulated network, as badly as that is. */
public class SimTransport implements RangeTransport {
  private static final String SERVICE = "ranges";

  private final SimNetwork network;
  private final Address self;
  private final Map<Long, Consumer<RangeResult>> replies = new HashMap<>();

  /** Begins anywhere, so that a client never takes a reply to one of its earlier lives. */
  private long calls;

  /** How the attempts of one client travel; a test may break it. */
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
    network.listen(self, (from, message) -> replied((Reply) message));
  }

  /** Lets a node answer what arrives for it. */
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

  private void replied(Reply reply) {
    Consumer<RangeResult> waiting = replies.get(reply.number);
    if (waiting != null) {
      waiting.accept(reply.result); // doubled ones, too
    }
  }

  private void send(NodeId node, Consumer<RangeResult> reply, Call call) {
    long number = ++calls;
    replies.put(number, reply);
    network.send(self, new Address(node, SERVICE), new Request(number, call));
  }

  @Override
  public void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply) {
    // A doubled message is another array: a leader stamps its own.
    send(node, reply, (server, at, answer) -> server.propose(at, range, entry.clone(), answer));
  }

  @Override
  public void query(
      NodeId node,
      RangeId range,
      long epochVersion,
      long leastIndex,
      byte[] query,
      Consumer<RangeResult> reply) {
    send(
        node,
        reply,
        (server, at, answer) -> server.query(at, range, epochVersion, leastIndex, query, answer));
  }
}
