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
  private int failed;
  private String lastFailure = "no response";
  private boolean storageFailed;
  private boolean searching;

  BatchAttempts(RangeDescriptor descriptor) {
    replicas = descriptor.replicas();
    leader = LeaderHint.first(descriptor);
  }

  /** Resets the state for the next batch. */
  void begin() {
    failed = 0;
    lastFailure = "no response";
    storageFailed = false;
    searching = false;
  }

  LeaderHint leader() {
    return leader;
  }

  /** Follows a change of the replicas. */
  void updateReplicas(RangeDescriptor descriptor) {
    if (!descriptor.replicas().equals(replicas)) {
      replicas = descriptor.replicas();
      leader = leader.withVotersOf(descriptor);
    }
  }

  /** The target replica does not lead. Ignored if the target has changed since. */
  void leaderMoved(LeaderHint target, @Nullable NodeId hint) {
    searching = true;
    if (leader == target) {
      leader = target.after(hint);
    }
  }

  int failed() {
    return failed;
  }

  void failed(String reason) {
    failed++;
    lastFailure = reason;
  }

  /** The pause before the next attempt; short if only the leader has to be found. */
  long nextPauseMillis(RangeClientSettings settings) {
    boolean search = searching;
    searching = false;
    return search ? settings.searchMillis(failed) : settings.backoffMillis(failed);
  }

  void storageFailed() {
    storageFailed = true;
  }

  RangeException giveUp(RangeDescriptor descriptor, @Nullable String reason) {
    return new RangeException(
        storageFailed ? RangeException.Kind.STORAGE_FAILED : RangeException.Kind.UNAVAILABLE,
        reason == null
            ? "range " + descriptor.id() + " did not respond before the deadline: " + lastFailure
            : "command to range " + descriptor.id() + " failed: " + reason);
  }
}
