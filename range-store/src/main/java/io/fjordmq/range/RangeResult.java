package io.fjordmq.range;

import io.fjordmq.cluster.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a replica answers to one attempt of a client. */
public sealed interface RangeResult {

  /**
   * The batch is applied, by this attempt or an earlier one.
   *
   * @param index the range's applied index that contains it
   * @param answers one per command, in their order; the commands without one, behind those, were
   *     not applied and under the batch's number never will be: the answers were large enough
   */
  record Applied(long index, List<byte[]> answers) implements RangeResult {}

  /** The sender number asked for. */
  record Registered(long sender) implements RangeResult {}

  /** The answer to a query. */
  @SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
  record Answered(byte[] answer) implements RangeResult {}

  /** Nothing was done: this replica does not lead. */
  record NotLeader(@Nullable NodeId leader) implements RangeResult {}

  /** Nothing was done: the sender routed by an older epoch than these. */
  record StaleEpoch(List<RangeDescriptor> current) implements RangeResult {}

  /**
   * Nothing was done: the range remembers only so many senders, and this one was used longest ago.
   * Whether an earlier attempt of the batch was applied nobody can tell any more.
   */
  record SenderForgotten() implements RangeResult {}

  /** Nothing was done: a later batch of the sender is applied already. */
  record Outdated() implements RangeResult {}

  /** Nothing was done: too much is waiting there. */
  record Busy(String reason) implements RangeResult {}

  /** Nothing was done: the node cannot be reached or has no such replica in service. */
  record Unavailable(String reason) implements RangeResult {}

  /** It may or may not be applied; only the same batch under the same number can tell. */
  record OutcomeUnknown(String reason) implements RangeResult {}

  /** The replica's storage failed; a mutation may or may not be applied. */
  record StorageFailed(String reason) implements RangeResult {}
}
