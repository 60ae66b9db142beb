package io.fjordmq.range.client;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeException;
import org.jspecify.annotations.Nullable;

/** Whom a batcher asks, and how the attempts for the batch in the air went. Guarded by it. */
final class BatchAttempts {
  private ReplicaSet holders;
  private LeaderHint leader;
  private int failed;
  private String lastFailure = "no reply";
  private boolean storageFailed;
  private boolean searching;

  BatchAttempts(RangeDescriptor descriptor) {
    holders = descriptor.replicas();
    leader = LeaderHint.first(descriptor);
  }

  /** Another batch begins. */
  void begin() {
    failed = 0;
    lastFailure = "no reply";
    storageFailed = false;
    searching = false;
  }

  LeaderHint leader() {
    return leader;
  }

  /** The replicas may be others now. */
  void among(RangeDescriptor descriptor) {
    if (!descriptor.replicas().equals(holders)) {
      holders = descriptor.replicas();
      leader = leader.among(descriptor);
    }
  }

  /** The one asked does not lead; news about one that is no longer asked changes nothing. */
  void notLedBy(LeaderHint asked, @Nullable NodeId hint) {
    searching = true;
    if (leader == asked) {
      leader = asked.after(hint);
    }
  }

  int failed() {
    return failed;
  }

  void failed(String reason) {
    failed++;
    lastFailure = reason;
  }

  /** How long to wait before the next attempt: not long if only the leader has to be found. */
  long takePauseMillis(RangeClientSettings settings) {
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
        "range " + descriptor.id() + " did not answer: " + (reason == null ? lastFailure : reason));
  }
}
