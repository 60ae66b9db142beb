package io.fjordmq.broker.alarms;

import io.fjordmq.broker.limits.DescriptorUsage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The health of this node at one point in time. A component is null if there is no problem.
 *
 * @param overload why the node is overloaded
 * @param diskShortage the shortage of free disk space, and what to do
 * @param storageFailure why the state database rejects writes
 * @param logFailure why the log database rejects writes
 * @param clockAheadMillis how far the wall clock of the host is ahead of cluster time; negative if
 *     it is behind
 * @param descriptors the file descriptors of the process
 */
public record NodeHealth(
    @Nullable String overload,
    @Nullable String diskShortage,
    @Nullable String storageFailure,
    @Nullable String logFailure,
    long clockAheadMillis,
    DescriptorUsage descriptors) {
  private static final String REPAIR_DISK =
      "free disk space or repair the disk; the node then recovers automatically";

  List<AlarmCondition> conditions(AlarmSettings settings) {
    List<AlarmCondition> conditions = new ArrayList<>();
    add(
        conditions,
        AlarmKind.OVERLOADED,
        "The node rejects new work: %s; reduce the load, or give the node more memory or CPU",
        overload);
    add(conditions, AlarmKind.DISK_LOW, "Low disk space: %s", diskShortage);
    add(
        conditions,
        AlarmKind.STORAGE_FAILED,
        "Writes to the state database fail: %s; " + REPAIR_DISK,
        storageFailure);
    add(
        conditions,
        AlarmKind.RAFT_LOG_FAILED,
        "Writes to the log database fail: %s; " + REPAIR_DISK,
        logFailure);
    long skewMillis = Math.abs(clockAheadMillis);
    if (skewMillis >= settings.clockSkew().toMillis()) {
      conditions.add(
          AlarmCondition.of(
              AlarmKind.CLOCK_SKEW,
              "",
              clockMessage(skewMillis),
              "ahead_millis",
              Long.toString(clockAheadMillis)));
    }
    if (descriptors.isKnown()
        && descriptors.open() >= descriptors.max() / 100.0 * settings.descriptorsPercent()) {
      conditions.add(
          AlarmCondition.of(
              AlarmKind.FILE_DESCRIPTORS_HIGH,
              "",
              ("%d of %d file descriptors are in use; raise the limit (ulimit -n), then restart"
                      + " the node")
                  .formatted(descriptors.open(), descriptors.max()),
              "open",
              Long.toString(descriptors.open()),
              "limit",
              Long.toString(descriptors.max())));
    }
    return conditions;
  }

  private String clockMessage(long skewMillis) {
    return clockAheadMillis > 0
        ? "The wall clock of the host is %d ms ahead of cluster time; synchronize the clocks (NTP);"
                .formatted(skewMillis)
            + " after a long stop of all nodes, run bin/fjordmq cluster accept-clock"
        : "The wall clock of the host is %d ms behind cluster time; synchronize the clocks (NTP)"
            .formatted(skewMillis);
  }

  private static void add(
      List<AlarmCondition> conditions, AlarmKind kind, String message, @Nullable String reason) {
    if (reason != null) {
      conditions.add(AlarmCondition.of(kind, "", message.formatted(reason)));
    }
  }
}
