package io.fjordmq.broker.rest;

import io.fjordmq.broker.admin.NodeReport;
import io.fjordmq.broker.ops.ClusterStatus.NodeLine;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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
    @Field("Whether the node leads the metadata group") boolean leadsMetadata,
    @Field("Number of ranges that the node leads") long leads,
    @Field("Version of FjordMQ; absent if the node did not respond") @Nullable String version,
    @Field("Milliseconds since the node started; absent if the node did not respond")
        @Nullable Long uptime,
    @Field("Number of connected clients; absent if the node did not respond")
        @Nullable Long connections) {
  private static final Set<String> STOPPED = Set.of("down", "removed");

  static NodeJson of(NodeLine line, long leads, @Nullable NodeReport report) {
    return new NodeJson(
        line.id(),
        STOPPED.contains(line.state()) ? "stopped" : "running",
        line.state(),
        line.address(),
        line.incarnation(),
        line.leadsMetadata(),
        leads,
        report == null ? null : report.version(),
        report == null ? null : report.uptimeMillis(),
        report == null ? null : report.clients());
  }
}
