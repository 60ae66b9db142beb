package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.monitor.ClusterSample;
import io.fjordmq.broker.monitor.MonitorQueries;
import io.fjordmq.broker.monitor.Sampler;
import io.fjordmq.broker.monitor.Series;
import io.fjordmq.broker.query.NodeBroadcast.Responses;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The measured values of nodes: samples of the last hour, and current values. */
final class MonitorResource implements Resource {
  private static final String TAG = "Monitor";
  private static final String PARTIAL = "partial";

  private static final NamedNumbers SAMPLE = sampleFields();
  private static final NamedNumbers CURRENT = currentFields();

  private final MonitorQueries monitor;
  private final NodeLookup lookup;

  /** The fields of a sample that are not series. */
  record MonitorSample(
      @Field("End of the interval that the sample covers, in milliseconds since 1970")
          long timeStamp,
      @Field("Number of nodes whose values the sample contains") int nodes,
      @Field("Nodes that did not respond, with reasons; absent if all of them did")
          @Nullable List<String> partial) {}

  /** The fields of current values that are not series. */
  record MonitorCurrent(
      @Field("Nodes that did not respond, with reasons; absent if all of them did")
          @Nullable List<String> partial) {}

  MonitorResource(MonitorQueries monitor, NodeLookup lookup) {
    this.monitor = monitor;
    this.lookup = lookup;
  }

  private static NamedNumbers sampleFields() {
    NamedNumbers fields = new NamedNumbers(MonitorSample.class);
    for (Series series : Series.values()) {
      String text = series.description();
      fields.with(series.label(), series.rateLabel() == null ? text : text + ", in the interval");
    }
    return fields;
  }

  private static NamedNumbers currentFields() {
    NamedNumbers fields = new NamedNumbers(MonitorCurrent.class);
    for (Series series : Series.values()) {
      String rate = series.rateLabel();
      if (rate == null) {
        fields.with(series.label(), series.description());
      } else {
        fields.with(rate, series.description() + ", per second over the latest interval");
      }
    }
    return fields;
  }

  @Override
  public List<Operation> operations() {
    return List.of(
        history(Operation.get("/monitor"), "listMonitorSamples", "all nodes")
            .handler(request -> history(request, null)),
        history(
                Operation.get("/monitor/nodes/{node}").path(NodeLookup.parameter()),
                "listMonitorSamplesOfNode",
                "a node")
            .notFound("The node does not exist")
            .conflict("Several nodes have this name")
            .handler(request -> history(request, lookup.id(request))),
        current(Operation.get("/monitor_current"), "showMonitorCurrent", "all nodes")
            .handler(request -> current(null)),
        current(
                Operation.get("/monitor_current/nodes/{node}").path(NodeLookup.parameter()),
                "showMonitorCurrentOfNode",
                "a node")
            .notFound("The node does not exist")
            .conflict("Several nodes have this name")
            .handler(request -> current(lookup.id(request))));
  }

  private static Operation.Builder history(Operation.Builder operation, String id, String whose) {
    return operation
        .id(id)
        .tag(TAG)
        .summary("List samples of " + whose)
        .description(
            "Every node takes a sample every 10 seconds and keeps those of the last hour in memory."
                + " A value that is unknown is absent.")
        .role(Role.VIEWER)
        .query(
            Parameter.number("latest", "Only the last seconds, such as 300", 1, (int) keptSeconds())
                .orElse((int) keptSeconds()))
        .ok(SAMPLE.arraySchema());
  }

  private static long keptSeconds() {
    return Sampler.RETENTION.toSeconds();
  }

  private static Operation.Builder current(Operation.Builder operation, String id, String whose) {
    return operation
        .id(id)
        .tag(TAG)
        .summary("Show the current values of " + whose)
        .description("Rates are averages over the latest interval of 10 seconds.")
        .role(Role.VIEWER)
        .ok(CURRENT.schema());
  }

  private CompletableFuture<Response> history(Request request, @Nullable String node) {
    return monitor
        .history(node, request.number("latest"))
        .thenApply(
            history -> {
              requireResponse(node, history.problems());
              List<String> missing = history.problems().isEmpty() ? null : history.problems();
              return Response.ok(
                  history.samples().stream().map(sample -> json(sample, missing)).toList());
            });
  }

  private static Map<String, Object> json(ClusterSample one, @Nullable List<String> missing) {
    Map<String, @Nullable Object> first = new LinkedHashMap<>();
    first.put("time_stamp", one.sample().timeMillis());
    first.put("nodes", one.nodes());
    first.put(PARTIAL, missing);
    Map<String, Long> values = new LinkedHashMap<>();
    for (Series series : Series.values()) {
      long value = one.sample().value(series);
      if (value != Series.UNKNOWN) {
        values.put(series.label(), value);
      }
    }
    return SAMPLE.json(first, values);
  }

  private CompletableFuture<Response> current(@Nullable String node) {
    return monitor.current(node).thenApply(responses -> current(node, responses));
  }

  private static Response current(@Nullable String node, Responses<Map<String, Long>> responses) {
    List<String> problems = responses.problems();
    requireResponse(node, problems);
    Map<String, @Nullable Object> first = new LinkedHashMap<>();
    first.put(PARTIAL, problems.isEmpty() ? null : problems);
    return Response.ok(CURRENT.json(first, MonitorQueries.merge(responses.byNode().values())));
  }

  /** Without a response, there is nothing to show about a single node. */
  private static void requireResponse(@Nullable String node, List<String> problems) {
    if (node != null && !problems.isEmpty()) {
      throw ApiException.unavailable(String.join("; ", problems));
    }
  }
}
