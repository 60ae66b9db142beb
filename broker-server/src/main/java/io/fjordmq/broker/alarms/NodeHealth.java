package io.fjordmq.broker.alarms;

import io.fjordmq.broker.limits.DescriptorUse;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The health of this node at one point in time. A component is null if there is no problem.
 *
 * @param overload why the node is overloaded
 * @param diskShortage the shortage of free disk space
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
    DescriptorUse descriptors) {

  List<AlarmCondition> conditions(AlarmSettings settings) {
    List<AlarmCondition> conditions = new ArrayList<>();
    add(conditions, AlarmKind.OVERLOADED, "The node rejects new work: ", overload);
    add(conditions, AlarmKind.DISK_LOW, "Low disk space: ", diskShortage);
    add(
        conditions,
        AlarmKind.STORAGE_FAILED,
        "Writes to the state database fail: ",
        storageFailure);
    add(conditions, AlarmKind.RAFT_LOG_FAILED, "Writes to the log database fail: ", logFailure);
    long skewMillis = Math.abs(clockAheadMillis);
    if (skewMillis >= settings.clockSkew().toMillis()) {
      conditions.add(
          AlarmCondition.of(
              AlarmKind.CLOCK_SKEW,
              "",
              "The wall clock of the host is %d ms %s cluster time; synchronize the clocks (NTP)"
                  .formatted(skewMillis, clockAheadMillis > 0 ? "ahead of" : "behind"),
              "ahead_millis",
              Long.toString(clockAheadMillis)));
    }
    if (descriptors.isKnown()
        && descriptors.open() >= descriptors.max() / 100.0 * settings.descriptorsPercent()) {
      conditions.add(
          AlarmCondition.of(
              AlarmKind.FILE_DESCRIPTORS_HIGH,
              "",
              "%d of %d file descriptors are in use; raise the limit (ulimit -n)"
                  .formatted(descriptors.open(), descriptors.max()),
              "open",
              Long.toString(descriptors.open()),
              "limit",
              Long.toString(descriptors.max())));
    }
    return conditions;
  }

  private static void add(
      List<AlarmCondition> conditions, AlarmKind kind, String what, @Nullable String reason) {
    if (reason != null) {
      conditions.add(AlarmCondition.of(kind, "", what + reason));
    }
  }
}
