package io.fjordmq.range.store;

import io.fjordmq.api.NewerFormException;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.SnapshotRefusedException;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.KvException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Why a replica halted.
 *
 * @param readable false if this node is older than what the replica was to apply: it will halt
 *     again until the node is upgraded
 * @param fault whether something is wrong with this replica, which opening it again may not mend
 */
record HaltReason(String why, boolean readable, boolean fault) {
  private static final Logger LOG = LoggerFactory.getLogger(HaltReason.class);

  /** Says it in the log, with a stack trace if it is a defect. */
  static HaltReason of(RangeId range, long appliedIndex, ConsensusException failure) {
    Throwable cause = failure.getCause();
    NewerFormException newer = NewerFormException.in(cause);
    String why = String.valueOf((newer == null ? failure : newer).getMessage());
    boolean defect =
        newer == null && cause instanceof RuntimeException && !(cause instanceof KvException);
    if (cause instanceof SnapshotRefusedException) {
      LOG.warn(
          "Reopening a replica to fetch another snapshot: {} range={} index={}",
          cause.getMessage(),
          range,
          appliedIndex);
      return new HaltReason(why, newer == null, false);
    }
    LOG.error(
        "Replica halted; reopening it: {} range={} index={}",
        why,
        range,
        appliedIndex,
        defect ? failure : null);
    return new HaltReason(why, newer == null, newer == null);
  }
}
