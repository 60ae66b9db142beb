package io.fjordmq.broker.alarms;

import io.fjordmq.broker.alarms.AlarmCodec.Request;
import io.fjordmq.broker.query.NodeBroadcast;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerNetwork;
import io.fjordmq.common.MalformedBytesException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The alarms of all nodes that are alive. Thread-safe; does not block. */
public final class AlarmQueries {
  /** The name of the service between nodes. */
  static final String SERVICE = "alarms";

  private final AlarmTracker tracker;
  private final NodeBroadcast nodes;
  private final InstantSource clock;

  /**
   * Alarms of the cluster.
   *
   * @param alarms the latest activation first
   * @param problems the nodes whose alarms are missing, each with the reason
   * @param now the time of the response
   */
  public record Result(List<NodeAlarm> alarms, List<String> problems, Instant now) {}

  private AlarmQueries(AlarmTracker tracker, NodeBroadcast nodes, InstantSource clock) {
    this.tracker = tracker;
    this.nodes = nodes;
    this.clock = clock;
  }

  /**
   * Starts responding to other nodes.
   *
   * @param clock cluster time
   */
  public static AlarmQueries start(
      AlarmMonitor monitor, Membership membership, PeerNetwork peers, InstantSource clock) {
    return start(monitor.tracker(), membership, peers, clock);
  }

  static AlarmQueries start(
      AlarmTracker tracker, Membership membership, PeerNetwork peers, InstantSource clock) {
    AlarmQueries queries =
        new AlarmQueries(tracker, new NodeBroadcast(membership, peers, SERVICE), clock);
    peers.serve(SERVICE, (from, request) -> queries.respond(request));
    return queries;
  }

  private CompletableFuture<byte[]> respond(byte[] request) {
    try {
      return CompletableFuture.completedFuture(
          switch (Request.decode(request)) {
            case LIST_ALARMS -> AlarmCodec.encode(tracker.list());
            case CLEAR -> {
              tracker.clearHistory();
              yield AlarmCodec.encodeCleared();
            }
          });
    } catch (MalformedBytesException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Lists the alarms of all nodes.
   *
   * @param active true for the active alarms, false for the deactivated ones
   * @return completes on any thread; never fails
   */
  public CompletableFuture<Result> list(boolean active) {
    return nodes
        .askAll(Request.LIST_ALARMS.encode(), AlarmCodec::decode, tracker::list)
        .thenApply(
            responses ->
                new Result(
                    NodeAlarm.merge(responses.byNode()).stream()
                        .filter(one -> one.alarm().isActive() == active)
                        .toList(),
                    responses.problems(),
                    clock.instant()));
  }

  /**
   * Makes all nodes forget their deactivated alarms.
   *
   * @return completes on any thread with the nodes that did not respond; never fails
   */
  public CompletableFuture<List<String>> clearHistory() {
    return nodes
        .askAll(
            Request.CLEAR.encode(),
            AlarmCodec::decodeCleared,
            () -> {
              tracker.clearHistory();
              return true;
            })
        .thenApply(NodeBroadcast.Responses::problems);
  }
}
