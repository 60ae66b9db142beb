package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.admin.ClusterResponses.OfNode;
import io.fjordmq.broker.admin.NodeOperations;
import io.fjordmq.broker.drain.Evacuation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Moves leadership and clients off nodes that keep running, and decommissions nodes. */
final class LoadRebalanceResource implements Resource {
  private static final String TAG = "Load rebalance";

  private final NodeOperations nodes;
  private final NodeLookup lookup;

  /** The settings of an evacuation. */
  record EvacuationRequest(
      @Field(
              value =
                  "Number of clients to disconnect per second; `drainConfig.clientsPerSecond` if"
                      + " absent",
              min = 1,
              max = 1_000_000)
          @Nullable Integer connEvictRate) {}

  /** The evacuation of one node. */
  record EvacuationJson(
      @Field("Id of the node") String node,
      @Field(
              "`disabled`: not evacuated; `transferring_leadership`: other nodes take over its"
                  + " ranges; `evicting_conns`: it disconnects its clients; `prohibiting`: no"
                  + " clients are left, and it refuses new ones")
          Evacuation.State state,
      @Field("Number of clients that it disconnects per second") int connEvictRate,
      @Field("Connected clients") long currentConnected,
      @Field("Ranges that it leads") long ledRanges) {
    static EvacuationJson of(OfNode<Evacuation.Status> one) {
      Evacuation.Status status = one.value();
      return new EvacuationJson(
          one.node(),
          status.state(),
          status.clientsPerSecond(),
          status.clients(),
          status.ledRanges());
    }
  }

  LoadRebalanceResource(NodeOperations nodes, NodeLookup lookup) {
    this.nodes = nodes;
    this.lookup = lookup;
  }

  @Override
  public List<Operation> operations() {
    return List.of(status(), start(), stop(), decommission());
  }

  private Operation status() {
    return Operation.get("/load_rebalance/status")
        .id("listEvacuations")
        .tag(TAG)
        .summary("Show the evacuation of each node")
        .role(Role.VIEWER)
        .paged()
        .okList(EvacuationJson.class)
        .handler(
            request ->
                nodes
                    .evacuations()
                    .thenApply(
                        response ->
                            request
                                .paging()
                                .slice(
                                    response.values().stream().map(EvacuationJson::of).toList(),
                                    response.problems())));
  }

  private Operation start() {
    return Operation.post("/load_rebalance/{node}/evacuation/start")
        .id("startEvacuation")
        .tag(TAG)
        .summary("Evacuate a node")
        .description(
            "Other nodes take over leadership of its ranges. Then the node refuses new clients and"
                + " gradually disconnects its clients (MQTT 5: 0x9C with the Server Reference of"
                + " another node). The node keeps running and keeps its replicas. An evacuation"
                + " ends when it is stopped or the node restarts.")
        .role(Role.OPERATOR)
        .path(NodeLookup.parameter())
        .optionalBody(EvacuationRequest.class)
        .ok(CommandOutcome.class)
        .notFound("The node does not exist")
        .conflict(
            "The node is already being evacuated, no other node is up, or several nodes have this"
                + " name")
        .handler(
            request ->
                NodeErrors.command(
                    nodes.startEvacuation(
                        lookup.id(request),
                        request.body(EvacuationRequest.class).connEvictRate())));
  }

  private Operation stop() {
    return Operation.post("/load_rebalance/{node}/evacuation/stop")
        .id("stopEvacuation")
        .tag(TAG)
        .summary("Stop the evacuation of a node")
        .description(
            "The node accepts clients again, and placement moves leadership back. Clients that"
                + " have reconnected to other nodes stay there.")
        .role(Role.OPERATOR)
        .path(NodeLookup.parameter())
        .ok(CommandOutcome.class)
        .notFound("The node does not exist")
        .conflict("The node is not being evacuated, or several nodes have this name")
        .handler(request -> NodeErrors.command(nodes.stopEvacuation(lookup.id(request))));
  }

  private Operation decommission() {
    return Operation.post("/nodes/{node}/decommission")
        .id("decommissionNode")
        .tag("Nodes")
        .summary("Decommission a running node")
        .description(
            "Moves the replicas of the node to other nodes, then moves its clients, stops its"
                + " process and removes it from the cluster. The response does not wait for that;"
                + " repeat the request to see the progress. A restart of the node before it stops"
                + " cancels the operation.")
        .role(Role.ADMINISTRATOR)
        .path(NodeLookup.parameter())
        .ok(CommandOutcome.class)
        .notFound("The node does not exist")
        .conflict("No other node is up to take over the replicas, or several nodes have this name")
        .handler(request -> NodeErrors.command(nodes.decommission(lookup.id(request))));
  }
}
