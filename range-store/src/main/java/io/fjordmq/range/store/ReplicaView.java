package io.fjordmq.range.store;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.kv.Kv;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of an open replica that other threads read: its descriptor, its progress and its role.
 * Written by the replica's apply thread, except the group; read by any thread.
 */
final class ReplicaView {
  /** Value of {@link #leadingTerm} while this replica does not lead. */
  static final long NOT_LEADING = -1;

  private final RangeId id;
  private final FreezeFlag freezeFlag;
  private volatile RangeDescriptor descriptor;
  private volatile List<RangeDescriptor> coveringRanges;
  private volatile long appliedIndex;
  private volatile long clockMillis;
  private volatile int senders;
  private volatile long leadingTerm = NOT_LEADING;
  private volatile @Nullable HaltReason haltReason;
  private volatile @Nullable Consensus group;

  ReplicaView(RangeId id, Kv kv, RangeState state) {
    this.id = id;
    this.freezeFlag = new FreezeFlag(kv);
    publish(state);
  }

  // ---- written by the replica

  /** Sets the covering ranges first: requests with a stale epoch get them in the response. */
  void publish(RangeState state) {
    coveringRanges = state.coveringRanges();
    descriptor = state.descriptor();
    appliedIndex = state.appliedIndex();
    clockMillis = state.clockMillis();
    senders = state.senders().size();
    freezeFlag.set(state.frozen());
  }

  void setApplied(long index, long atMillis) {
    appliedIndex = index;
    clockMillis = atMillis;
  }

  void setSenders(int number) {
    senders = number;
  }

  void setLeadingTerm(long term) {
    leadingTerm = term;
  }

  void clearLeading() {
    leadingTerm = NOT_LEADING;
  }

  void setHaltReason(HaltReason reason) {
    haltReason = reason;
  }

  /** Sets the open group; null after it was closed. */
  void setGroup(@Nullable Consensus open) {
    group = open;
  }

  // ---- read by any thread

  RangeDescriptor descriptor() {
    return descriptor;
  }

  List<RangeDescriptor> coveringRanges() {
    return coveringRanges;
  }

  long appliedIndex() {
    return appliedIndex;
  }

  boolean isFrozen() {
    return freezeFlag.isSet();
  }

  boolean isLeading() {
    return leadingTerm != NOT_LEADING;
  }

  /** Returns the term that this replica leads in, or {@link #NOT_LEADING}. */
  long leadingTerm() {
    return leadingTerm;
  }

  /** Returns why it halted; null while it runs. */
  @Nullable HaltReason halt() {
    return haltReason;
  }

  @Nullable Consensus group() {
    return group;
  }

  /** Returns the response to a request that this replica cannot serve, because it does not lead. */
  RangeResult notServing() {
    Consensus open = group;
    HaltReason halted = haltReason;
    return halted != null
        ? new RangeResult.Unavailable(
            "the replica of range " + id + " is halted: " + halted.reason())
        : new RangeResult.NotLeader(open == null ? null : open.leadership().leader());
  }

  ReplicaStatus status(NodeId self, long logBytesSinceCheckpoint) {
    Consensus open = group;
    HaltReason halted = haltReason;
    return new ReplicaStatus(
        self,
        descriptor,
        leadingTerm != NOT_LEADING,
        appliedIndex,
        clockMillis,
        logBytesSinceCheckpoint,
        senders,
        open == null ? null : open.status(),
        freezeFlag.merging(id),
        halted == null ? null : halted.reason());
  }
}
