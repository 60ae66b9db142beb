package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.NodeRecord;
import io.fjordmq.cluster.metadata.WriteResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** What this node writes of itself into the metadata, in its present life. Thread-safe. */
final class LocalNodeRecord {
  private final NodeId self;
  private final MetadataGroup metadata;
  private final MemberView members;
  private final LongSupplier incarnation;
  private final Function<List<Change>, CompletableFuture<WriteResult>> writes;

  /** By this node: its own replica may be behind. */
  private volatile Written last = new Written(0, NodeRecord.State.UP);

  private record Written(long version, NodeRecord.State state) {}

  /**
   * @param incarnation of the present life
   * @param writes through the leader of the metadata
   */
  LocalNodeRecord(
      NodeId self,
      MetadataGroup metadata,
      MemberView members,
      LongSupplier incarnation,
      Function<List<Change>, CompletableFuture<WriteResult>> writes) {
    this.self = self;
    this.metadata = metadata;
    this.members = members;
    this.incarnation = incarnation;
    this.writes = writes;
  }

  boolean isIn(Member.State state) {
    Written written = last;
    return written.version() > members.applied()
        ? written.state().name().equals(state.name())
        : members.members().in(state).contains(self);
  }

  /**
   * Puts this life into another state. Fails as writes do, and with {@code BUSY} if its record
   * changed meanwhile or this life cannot come to that state.
   */
  CompletableFuture<Void> write(NodeRecord.State state) {
    MetadataRecord record = metadata.view().get(NodeRecord.key(self));
    NodeRecord now = record == null ? null : NodeRecord.decode(record);
    if (record == null || now == null || !mayBecome(state, now)) {
      return CompletableFuture.failedFuture(
          new ConsensusException(Kind.BUSY, "this node is not UP"));
    }
    byte[] changed = now.in(state).encode();
    long expected = Math.max(record.version(), last.version());
    return writes
        .apply(List.of(Change.put(record.key(), changed, expected)))
        .thenAccept(result -> last = new Written(appliedVersion(result), state));
  }

  /** One that is STARTING comes UP by its {@link Admission} alone. */
  private boolean mayBecome(NodeRecord.State state, NodeRecord now) {
    if (now.incarnation() != incarnation.getAsLong()) {
      return false;
    }
    return switch (now.state()) {
      case DOWN -> state == NodeRecord.State.REMOVED;
      case STARTING -> state == NodeRecord.State.DOWN;
      default -> true;
    };
  }

  static long appliedVersion(WriteResult result) {
    if (result instanceof WriteResult.Applied applied) {
      return applied.version();
    }
    throw new CompletionException(
        new ConsensusException(Kind.BUSY, "the node's record has changed meanwhile"));
  }
}
