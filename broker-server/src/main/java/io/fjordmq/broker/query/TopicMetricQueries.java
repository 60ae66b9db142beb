package io.fjordmq.broker.query;

import io.fjordmq.broker.topicmetrics.TopicReading;
import io.fjordmq.broker.topicmetrics.TopicTraffic;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerNetwork;
import io.fjordmq.common.MalformedBytesException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The messages of registered topics on all nodes. Thread-safe; does not block. */
public final class TopicMetricQueries {
  private final TopicTraffic own;
  private final NodeBroadcast nodes;

  /**
   * The messages of a tenant's registered topics on all nodes that responded.
   *
   * @param byTopic topics that no node has counted yet are absent
   * @param problems the nodes that did not respond, and why
   */
  public record Readings(Map<String, TopicReading> byTopic, List<String> problems) {}

  private TopicMetricQueries(TopicTraffic own, Membership membership, PeerNetwork peers) {
    this.own = own;
    this.nodes = new NodeBroadcast(membership, peers, TopicMetricCodec.SERVICE);
  }

  /** Starts responding to other nodes. */
  public static TopicMetricQueries start(
      TopicTraffic own, Membership membership, PeerNetwork peers) {
    TopicMetricQueries queries = new TopicMetricQueries(own, membership, peers);
    peers.serve(TopicMetricCodec.SERVICE, (from, request) -> queries.respond(request));
    return queries;
  }

  private CompletableFuture<byte[]> respond(byte[] request) {
    try {
      String tenant = TopicMetricCodec.decodeRequest(request);
      return CompletableFuture.completedFuture(TopicMetricCodec.encode(local(tenant)));
    } catch (MalformedBytesException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private Map<String, TopicReading> local(String tenant) {
    Map<String, TopicReading> found = new HashMap<>();
    for (TopicTraffic.Reading reading : own.read()) {
      if (reading.tenant().equals(tenant)) {
        found.put(reading.topic(), reading.messages());
      }
    }
    return found;
  }

  /**
   * Adds up the messages of a tenant's registered topics.
   *
   * @return completes on any thread; never fails
   */
  public CompletableFuture<Readings> read(String tenant) {
    return nodes
        .askAll(
            TopicMetricCodec.encodeRequest(tenant),
            TopicMetricCodec::decodeResponse,
            () -> local(tenant))
        .thenApply(
            responses -> {
              Map<String, TopicReading> sums = new HashMap<>();
              responses
                  .byNode()
                  .values()
                  .forEach(
                      node ->
                          node.forEach(
                              (topic, messages) ->
                                  sums.merge(topic, messages, TopicReading::plus)));
              return new Readings(sums, responses.problems());
            });
  }
}
