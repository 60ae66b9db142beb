package io.fjordmq.broker.alarms;

import java.util.Locale;

/** The kinds of alarms. The label of a kind is the name of its alarms. */
public enum AlarmKind {
  /** The node is overloaded and rejects new work. */
  OVERLOADED(Scope.NODE, Delay.NONE),
  /** Free disk space is below {@code diskConfig.minFreeBytes}. */
  DISK_LOW(Scope.NODE, Delay.NONE),
  /** The state database rejects writes. */
  STORAGE_FAILED(Scope.NODE, Delay.NONE),
  /** The log database rejects writes. */
  RAFT_LOG_FAILED(Scope.NODE, Delay.NONE),
  /** A replica on this node is halted. */
  REPLICA_HALTED(Scope.NODE, Delay.SETTLE),
  /** A range, or the metadata group, has no leader, so it is unavailable. */
  RANGE_WITHOUT_LEADER(Scope.CLUSTER, Delay.SETTLE),
  /** Replicas of a range hold different rows. */
  REPLICAS_DIFFER(Scope.CLUSTER, Delay.NONE),
  /** A range has fewer live voters than it should have. */
  RANGE_UNDER_REPLICATED(Scope.CLUSTER, Delay.SETTLE),
  /** A node of the cluster is down. */
  NODE_DOWN(Scope.CLUSTER, Delay.SETTLE),
  /** A certificate expires soon or has expired. */
  CERTIFICATE_EXPIRING(Scope.NODE, Delay.NONE),
  /** Changed certificate files cannot be loaded; the previous certificate is still in use. */
  CERTIFICATE_RELOAD_REJECTED(Scope.NODE, Delay.SETTLE),
  /** A revocation list of client certificates expires soon or has expired. */
  REVOCATION_LIST_EXPIRING(Scope.NODE, Delay.NONE),
  /** The wall clock of the host differs from cluster time. */
  CLOCK_SKEW(Scope.NODE, Delay.SETTLE),
  /** Most of the file descriptors of the process are in use. */
  FILE_DESCRIPTORS_HIGH(Scope.NODE, Delay.NONE),
  /** An upgrade of the cluster was begun long ago and is not finished. */
  UPGRADE_PENDING(Scope.CLUSTER, Delay.NONE);

  /** What an alarm is about. */
  private enum Scope {
    /** The node that reports it. */
    NODE,
    /** The cluster. Several nodes may report the same alarm, which is shown once. */
    CLUSTER
  }

  /** How long a condition lasts before it activates an alarm. */
  private enum Delay {
    NONE,
    /** {@code alarmsConfig.activateAfter}: the condition is normal for a short time. */
    SETTLE
  }

  private final String label = name().toLowerCase(Locale.ROOT);
  private final Scope scope;
  private final Delay delay;

  AlarmKind(Scope scope, Delay delay) {
    this.scope = scope;
    this.delay = delay;
  }

  /** The name of the alarms in the API, in metrics and in the log. */
  public String label() {
    return label;
  }

  /** Whether the alarm concerns the cluster rather than the node that reports it. */
  boolean isClusterWide() {
    return scope == Scope.CLUSTER;
  }

  /** Whether the condition must last before it activates an alarm. */
  boolean isDelayed() {
    return delay == Delay.SETTLE;
  }
}
