package io.fjordmq.range.client;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeException;
import org.jspecify.annotations.Nullable;

/**
 * The replica that a batcher sends to, and the failed attempts of the batch in flight. Guarded by
 * the batcher.
 */
final class BatchAttempts {
  private ReplicaSet replicas;
  private LeaderHint leader;
  private int failedAttempts;
  private String lastFailure = "no response";
  private boolean storageFailed;
  private boolean searching;

  BatchAttempts(RangeDescriptor descriptor) {
    replicas = descriptor.replicas();
    leader = LeaderHint.firstVoter(descriptor);
  }

  /** Resets the state for the next batch. */
  void begin() {
    failedAttempts = 0;
    lastFailure = "no response";
    storageFailed = false;
    searching = false;
  }

  LeaderHint leader() {
    return leader;
  }

  /** Adopts the replicas of a newer descriptor. */
  void updateReplicas(RangeDescriptor descriptor) {
    if (!descriptor.replicas().equals(replicas)) {
      replicas = descriptor.replicas();
      leader = leader.withVotersOf(descriptor);
    }
  }

  /**
   * Must be called when the target replica does not lead. Ignored if the target has changed in the
   * meantime.
   */
  void onNotLeader(LeaderHint target, @Nullable NodeId hint) {
    searching = true;
    if (leader == target) {
      leader = target.next(hint);
    }
  }

  int failedAttempts() {
    return failedAttempts;
  }

  void recordFailure(String reason) {
    failedAttempts++;
    lastFailure = reason;
  }

  /** Returns the pause before the next attempt; short if only the leader has to be found. */
  long nextPauseMillis(RangeClientSettings settings) {
    boolean search = searching;
    searching = false;
    return search
        ? settings.searchBackoffMillis(failedAttempts)
        : settings.backoffMillis(failedAttempts);
  }

  void onStorageFailure() {
    storageFailed = true;
  }

  RangeException finalFailure(RangeDescriptor descriptor, @Nullable String reason) {
    return new RangeException(
        storageFailed ? RangeException.Kind.STORAGE_FAILED : RangeException.Kind.UNAVAILABLE,
        reason == null
            ? "range " + descriptor.id() + " did not respond before the deadline: " + lastFailure
            : "command to range " + descriptor.id() + " failed: " + reason);
  }
}
