package io.fjordmq.broker.rest;

import io.fjordmq.broker.ops.ClusterStatus.NodeLine;
import java.util.Set;

/** A node of the cluster. */
record NodeJson(
    @Field("Id of the node") String node,
    @Field("`running` or `stopped`") String nodeStatus,
    @Field(
            "State in the cluster: `starting`, `up`, `full`, `slow`, `draining`, `leaving`, `down`"
                + " or `removed`")
        String state,
    @Field("Address of the cluster port") String address,
    @Field("Number of the current or latest registration") long incarnation,
    @Field("Whether the node leads the metadata group") boolean leadsMetadata) {
  private static final Set<String> STOPPED = Set.of("down", "removed");

  static NodeJson of(NodeLine line) {
    return new NodeJson(
        line.id(),
        STOPPED.contains(line.state()) ? "stopped" : "running",
        line.state(),
        line.address(),
        line.incarnation(),
        line.leadsMetadata());
  }
}
