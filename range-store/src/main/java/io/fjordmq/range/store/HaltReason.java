package io.fjordmq.range.store;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.SnapshotRefusedException;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.KvException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reason why a replica halted.
 *
 * @param formatKnown false if the entry or row has a newer format than this node knows: the replica
 *     will halt again until the node is upgraded
 * @param maybeDamaged whether the replica itself may be damaged, so that reopening may not help
 */
record HaltReason(String reason, boolean formatKnown, boolean maybeDamaged) {
  private static final Logger LOG = LoggerFactory.getLogger(HaltReason.class);

  /** Logs the reason, with a stack trace if it is a bug. */
  static HaltReason of(RangeId range, long appliedIndex, ConsensusException failure) {
    Throwable cause = failure.getCause();
    NewerFormatException newer = NewerFormatException.findIn(cause);
    String reason = String.valueOf((newer == null ? failure : newer).getMessage());
    boolean bug =
        newer == null && cause instanceof RuntimeException && !(cause instanceof KvException);
    if (cause instanceof SnapshotRefusedException) {
      LOG.warn(
          "Reopening a replica to fetch another snapshot: {} range={} index={}",
          cause.getMessage(),
          range,
          appliedIndex);
      return new HaltReason(reason, newer == null, false);
    }
    LOG.error(
        "Replica halted; reopening it: {} range={} index={}",
        reason,
        range,
        appliedIndex,
        bug ? failure : null);
    return new HaltReason(reason, newer == null, newer == null);
  }
}
