package io.fjordmq.range;

import io.fjordmq.cluster.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A replica's reply to one attempt of a client. */
public sealed interface RangeResult {

  /**
   * The batch was applied, by this attempt or an earlier one.
   *
   * @param index an applied index of the range that includes the batch
   * @param responses one per command, in order. If there are fewer responses than commands, the
   *     size limit for responses was reached: the remaining commands were not applied, and never
   *     will be under this batch number
   * @param nextBatchMicros time until the leader expects the next batch of this sender, in
   *     microseconds from the response; 0 if the sender decides itself
   */
  record Applied(long index, List<byte[]> responses, long nextBatchMicros) implements RangeResult {
    /** The sender decides when to send its next batch. */
    public Applied(long index, List<byte[]> responses) {
      this(index, responses, 0);
    }
  }

  /** The requested sender number. */
  record Registered(long sender) implements RangeResult {}

  /** The response to a query. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Success(byte[] response) implements RangeResult {}

  /** Nothing was done: this replica is not the leader. */
  record NotLeader(@Nullable NodeId leader) implements RangeResult {}

  /** Nothing was done: the sender routed by an outdated epoch. */
  record StaleEpoch(List<RangeDescriptor> current) implements RangeResult {}

  /**
   * Nothing was done: the range has evicted this sender as the least recently used one. It is no
   * longer known whether an earlier attempt of the batch was applied.
   */
  record SenderEvicted() implements RangeResult {}

  /** Nothing was done: a later batch of the sender has already been applied. */
  record OutdatedBatch() implements RangeResult {}

  /** Nothing was done: too many requests are waiting at the replica. */
  record Busy(String reason) implements RangeResult {}

  /** Nothing was done: the node is unreachable or has no such replica in service. */
  record Unavailable(String reason) implements RangeResult {}

  /**
   * The batch may or may not have been applied; resending it under its batch number returns the
   * outcome.
   */
  record OutcomeUnknown(String reason) implements RangeResult {}

  /** The replica's storage failed; a mutation may or may not have been applied. */
  record StorageFailed(String reason) implements RangeResult {}
}
