package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.admin.ClusterView;
import io.fjordmq.broker.ops.ClusterStatus;
import io.fjordmq.broker.ops.ClusterStatus.NodeLine;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The cluster as a whole, and the settings that all its nodes share. */
final class ClusterResource implements Resource {
  private static final String TAG = "Cluster";

  private final ClusterView view;
  private final CommandQueue commands;

  /** The cluster. */
  record ClusterJson(
      @Field("Id of the cluster; absent until its first node has created it") @Nullable String name,
      @Field(
              "Name of the cluster from the configuration of its first node; absent if there is"
                  + " none")
          @Nullable String env,
      @Field("Ids of the nodes") List<String> nodes,
      @Field("Names of the nodes, by id") Map<String, String> nodeNames,
      @Field("Id of the node that responds") String self,
      @Field("Problems and hints for the operator") List<String> notes) {}

  ClusterResource(ClusterView view, CommandQueue commands) {
    this.view = view;
    this.commands = commands;
  }

  @Override
  public List<Operation> operations() {
    return List.of(show(), acceptClock(), showLevel(), upgrade(), showVoters(), setVoters());
  }

  private Operation show() {
    return Operation.get("/cluster")
        .id("showCluster")
        .tag(TAG)
        .summary("Show the cluster")
        .role(Role.VIEWER)
        .ok(ClusterJson.class)
        .handler(request -> view.collect().thenApply(status -> Response.ok(json(status))));
  }

  private ClusterJson json(ClusterStatus status) {
    return new ClusterJson(
        view.identity().map(ClusterView.Identity::id).orElse(null),
        view.identity().map(ClusterView.Identity::env).filter(env -> !env.isEmpty()).orElse(null),
        status.nodes().stream().map(NodeLine::id).toList(),
        names(status),
        status.nodes().stream().filter(NodeLine::isSelf).map(NodeLine::id).findFirst().orElse(""),
        status.notes());
  }

  private static Map<String, String> names(ClusterStatus status) {
    Map<String, String> names = new LinkedHashMap<>();
    status.nodes().forEach(node -> names.put(node.id(), node.name()));
    return names;
  }

  private Operation acceptClock() {
    return Operation.post("/cluster/accept_clock")
        .id("acceptClock")
        .tag(TAG)
        .summary("Advance cluster time to the wall clocks")
        .description(
            "Delayed messages and expiries are late while cluster time is behind the wall clocks."
                + " Call this only if the wall clocks of all nodes are correct.")
        .role(Role.ADMINISTRATOR)
        .ok(CommandOutcome.class)
        .conflict("Cluster time was not advanced")
        .handler(request -> commands.execute(request, "accept-clock").thenApply(Response::ok));
  }

  private Operation showLevel() {
    return Operation.get("/cluster/level")
        .id("showLevel")
        .tag(TAG)
        .summary("Show the cluster level and the progress of an upgrade")
        .role(Role.VIEWER)
        .ok(LevelJson.class)
        .handler(
            request -> CompletableFuture.completedFuture(Response.ok(LevelJson.of(view.level()))));
  }

  private Operation upgrade() {
    return Operation.post("/cluster/upgrade")
        .id("upgradeCluster")
        .tag(TAG)
        .summary("Raise the cluster level to the highest that all nodes support")
        .description(
            "From then on, nodes write the formats of the new version, and older versions can no"
                + " longer join.")
        .role(Role.ADMINISTRATOR)
        .ok(CommandOutcome.class)
        .conflict("The level was not raised, because a node does not support a higher one")
        .handler(request -> commands.execute(request, "upgrade").thenApply(Response::ok));
  }

  private Operation showVoters() {
    return Operation.get("/voters")
        .id("showVoters")
        .tag(TAG)
        .summary("Show the number of voters for each store")
        .role(Role.VIEWER)
        .ok(VoterCounts.class)
        .handler(request -> CompletableFuture.completedFuture(Response.ok(commands.voterCounts())));
  }

  private Operation setVoters() {
    return Operation.put("/voters")
        .id("setVoters")
        .tag(TAG)
        .summary("Set the number of voters for one or more stores")
        .description(
            "Stores that are not listed keep their number of voters. Placement adds and removes "
                + "voters one by one; a range has at most as many voters as there are nodes.")
        .role(Role.ADMINISTRATOR)
        .body(VoterCounts.class)
        .ok(VoterCounts.class)
        .conflict("The change was not confirmed and may still take effect")
        .handler(
            request ->
                commands
                    .execute(request, request.body(VoterCounts.class).command())
                    .thenApply(done -> Response.ok(commands.voterCounts())));
  }
}
