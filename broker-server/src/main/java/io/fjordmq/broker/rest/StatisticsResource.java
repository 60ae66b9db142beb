package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.monitor.MonitorQueries;
import io.fjordmq.broker.monitor.Series;
import io.fjordmq.broker.ops.ClientCounter;
import io.fjordmq.broker.query.NodeBroadcast.Responses;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Statistics and counters of all nodes, under the names of EMQX. */
final class StatisticsResource implements Resource {
  private static final String TAG = "Statistics";
  private static final String AGGREGATE = "aggregate";
  private static final String NODE = "node";
  private static final String PARTIAL = "partial";

  /** The statistics, and the current values that they show. */
  private static final Map<String, Series> STATISTICS = statistics();

  private static final String SESSIONS = "sessions.count";

  private static final NamedNumbers NODE_STATS = withStatistics(NodeStats.class);
  private static final NamedNumbers CLUSTER_STATS = withStatistics(ClusterStats.class);
  private static final NamedNumbers NODE_METRICS = withCounters(NodeMetrics.class);
  private static final NamedNumbers CLUSTER_METRICS = withCounters(ClusterMetrics.class);

  private final MonitorQueries monitor;

  /** The statistics of a node. */
  record NodeStats(
      @Field("Id of the node") String node,
      @Field("Why the node did not respond; absent if it did") @Nullable List<String> partial) {}

  /** The statistics of the cluster. */
  record ClusterStats(
      @Field("Nodes that did not respond, with reasons; absent if all of them did")
          @Nullable List<String> partial) {}

  /** The counters of a node. */
  record NodeMetrics(
      @Field("Id of the node") String node,
      @Field("Why the node did not respond; absent if it did") @Nullable List<String> partial) {}

  /** The counters of the cluster. */
  record ClusterMetrics(
      @Field("Nodes that did not respond, with reasons; absent if all of them did")
          @Nullable List<String> partial) {}

  StatisticsResource(MonitorQueries monitor) {
    this.monitor = monitor;
  }

  private static Map<String, Series> statistics() {
    Map<String, Series> statistics = new LinkedHashMap<>();
    statistics.put("connections.count", Series.CONNECTIONS);
    statistics.put("live_connections.count", Series.LIVE_CONNECTIONS);
    statistics.put("subscriptions.count", Series.SUBSCRIPTIONS);
    statistics.put("topics.count", Series.TOPICS);
    statistics.put("retained.count", Series.RETAINED_MESSAGES);
    return statistics;
  }

  private static NamedNumbers withStatistics(Class<? extends Record> type) {
    NamedNumbers fields = new NamedNumbers(type);
    STATISTICS.forEach((name, series) -> fields.with(name, series.description()));
    return fields.with(SESSIONS, "Sessions of connected clients, and offline persistent sessions");
  }

  private static NamedNumbers withCounters(Class<? extends Record> type) {
    NamedNumbers fields = new NamedNumbers(type);
    for (ClientCounter counter : ClientCounter.values()) {
      fields.with(counter.label(), counter.description());
    }
    return fields;
  }

  @Override
  public List<Operation> operations() {
    return List.of(
        declare("/stats", "showStats", "Show statistics of all nodes", NODE_STATS, CLUSTER_STATS)
            .description(
                "Persistent sessions and retained messages count on the nodes that lead their"
                    + " ranges. Every node knows all topics, so these are not added up.")
            .handler(
                request ->
                    monitor
                        .current(null)
                        .thenApply(
                            responses ->
                                response(
                                    request,
                                    responses,
                                    StatisticsResource::statistics,
                                    NODE_STATS,
                                    CLUSTER_STATS))),
        declare(
                "/metrics",
                "showMetrics",
                "Show counters of all nodes",
                NODE_METRICS,
                CLUSTER_METRICS)
            .description("Counters begin with 0 when a node starts.")
            .handler(
                request ->
                    monitor
                        .counters()
                        .thenApply(
                            responses ->
                                response(
                                    request,
                                    responses,
                                    UnaryOperator.identity(),
                                    NODE_METRICS,
                                    CLUSTER_METRICS))));
  }

  private static Operation.Builder declare(
      String path, String id, String summary, NamedNumbers ofNode, NamedNumbers ofCluster) {
    return Operation.get(path)
        .id(id)
        .tag(TAG)
        .summary(summary)
        .role(Role.VIEWER)
        .query(
            Parameter.flag(
                    AGGREGATE,
                    "`false` returns a list with an element for each node, `true` returns one"
                        + " object with the combined values of all nodes")
                .orElse(false))
        .ok(new Schema.AnyOf(List.of(ofNode.arraySchema(), ofCluster.schema())));
  }

  private static Map<String, Long> statistics(Map<String, Long> current) {
    Map<String, Long> statistics = new LinkedHashMap<>();
    STATISTICS.forEach(
        (name, series) -> {
          Long value = current.get(series.label());
          if (value != null) {
            statistics.put(name, value);
          }
        });
    Long connected = current.get(Series.CONNECTIONS.label());
    Long offline = current.get(Series.DISCONNECTED_DURABLE_SESSIONS.label());
    if (connected != null && offline != null) {
      statistics.put(SESSIONS, connected + offline);
    }
    return statistics;
  }

  private static Response response(
      Request request,
      Responses<Map<String, Long>> responses,
      UnaryOperator<Map<String, Long>> select,
      NamedNumbers ofNode,
      NamedNumbers ofCluster) {
    if (request.flag(AGGREGATE)) {
      List<String> problems = responses.problems();
      Map<String, @Nullable Object> first = new LinkedHashMap<>();
      first.put(PARTIAL, problems.isEmpty() ? null : problems);
      Map<String, Long> merged = MonitorQueries.merge(responses.byNode().values());
      return Response.ok(ofCluster.json(first, select.apply(merged)));
    }
    List<Map<String, Object>> nodes = new ArrayList<>();
    responses
        .byNode()
        .forEach(
            (node, values) -> nodes.add(ofNode.json(Map.of(NODE, node), select.apply(values))));
    responses
        .failures()
        .forEach(
            (node, reason) ->
                nodes.add(ofNode.json(Map.of(NODE, node, PARTIAL, List.of(reason)), Map.of())));
    return Response.ok(nodes);
  }
}
