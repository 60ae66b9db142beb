package io.fjordmq.broker.rest;

import io.fjordmq.broker.admin.NodeReport;
import io.fjordmq.broker.admin.NodeResources;
import io.fjordmq.broker.ops.ClusterStatus.NodeLine;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A node of the cluster. Most fields are absent if the node did not respond. */
record NodeJson(
    @Field("Id of the node") String node,
    @Field("Name of the node, `clusterConfig.nodeName`; need not be unique") String name,
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
        @Nullable Long connections,
    @Field("The same as `connections`") @Nullable Long liveConnections,
    @Field("Heap and network buffers in use, in bytes") @Nullable Long memoryUsed,
    @Field("Maximum of heap and network buffers, in bytes") @Nullable Long memoryTotal,
    @Field("File descriptors in use; absent if unknown") @Nullable Long openFds,
    @Field("Limit of file descriptors; absent if unknown") @Nullable Long maxFds,
    @Field("Used space of the file system of dataDir, in bytes") @Nullable Long diskUsed,
    @Field("Size of the file system of dataDir, in bytes") @Nullable Long diskTotal,
    @Field("Whether free space is below `diskConfig.minFreeBytes`") @Nullable Boolean diskLow,
    @Field("Load average of the host over 1 minute") @Nullable Double load1,
    @Field("Load average of the host over 5 minutes") @Nullable Double load5,
    @Field("Load average of the host over 15 minutes") @Nullable Double load15) {
  private static final Set<String> STOPPED = Set.of("down", "removed");

  static NodeJson of(NodeLine line, long leads, @Nullable NodeReport report) {
    NodeResources resources = report == null ? null : report.resources();
    return new NodeJson(
        line.id(),
        line.name(),
        STOPPED.contains(line.state()) ? "stopped" : "running",
        line.state(),
        line.address(),
        line.incarnation(),
        line.leadsMetadata(),
        leads,
        report == null ? null : report.version(),
        report == null ? null : report.uptimeMillis(),
        report == null ? null : report.clients(),
        report == null ? null : report.clients(),
        resources == null ? null : resources.memoryUsedBytes(),
        resources == null ? null : resources.memoryTotalBytes(),
        resources == null ? null : known(resources.openDescriptors()),
        resources == null ? null : known(resources.maxDescriptors()),
        resources == null ? null : known(resources.diskUsedBytes()),
        resources == null ? null : known(resources.diskTotalBytes()),
        resources == null ? null : resources.isDiskLow(),
        resources == null ? null : known(resources.load().oneMinute()),
        resources == null ? null : known(resources.load().fiveMinutes()),
        resources == null ? null : known(resources.load().fifteenMinutes()));
  }

  private static @Nullable Long known(long value) {
    return value > 0 ? value : null;
  }

  private static @Nullable Double known(double value) {
    return value < 0 ? null : value;
  }
}
