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
import java.util.function.Function;
import java.util.function.LongSupplier;

/** Writes this node's own record in the metadata, for its current incarnation. Thread-safe. */
final class LocalNodeRecord {
  private final NodeId self;
  private final MetadataGroup metadata;
  private final MemberView members;
  private final LongSupplier incarnation;
  private final Function<List<Change>, CompletableFuture<WriteResult>> writer;

  /** The last write of this node, which its own replica may not have applied yet. */
  private volatile LastWrite lastWrite = new LastWrite(0, NodeRecord.State.UP);

  private record LastWrite(long version, NodeRecord.State state) {}

  /**
   * @param incarnation supplies the current incarnation
   * @param writer writes through the metadata leader
   */
  LocalNodeRecord(
      NodeId self,
      MetadataGroup metadata,
      MemberView members,
      LongSupplier incarnation,
      Function<List<Change>, CompletableFuture<WriteResult>> writer) {
    this.self = self;
    this.metadata = metadata;
    this.members = members;
    this.incarnation = incarnation;
    this.writer = writer;
  }

  boolean hasState(Member.State state) {
    LastWrite written = lastWrite;
    return written.version() > members.appliedVersion()
        ? written.state().name().equals(state.name())
        : members.members().inState(state).contains(self);
  }

  /**
   * Changes the state of the current incarnation. Fails like every write, and with {@code BUSY} if
   * the record has changed in the meantime or the state cannot be reached from the current one.
   */
  CompletableFuture<Void> write(NodeRecord.State state) {
    MetadataRecord record = metadata.view().get(NodeRecord.key(self));
    NodeRecord current = record == null ? null : NodeRecord.decode(record);
    if (record == null || current == null || !mayBecome(state, current)) {
      return CompletableFuture.failedFuture(
          new ConsensusException(
              Kind.BUSY,
              "cannot mark incarnation %d of this node %s: the metadata has %s"
                  .formatted(
                      incarnation.getAsLong(), state, current == null ? "no record" : current)));
    }
    byte[] changed = current.withState(state).encode();
    long expected = Math.max(record.version(), lastWrite.version());
    return writer
        .apply(List.of(Change.put(record.key(), changed, expected)))
        .thenAccept(result -> lastWrite = new LastWrite(appliedVersion(result), state));
  }

  /**
   * Returns whether this class may write the state. A STARTING node becomes UP only through its
   * {@link Admission}.
   */
  private boolean mayBecome(NodeRecord.State state, NodeRecord current) {
    if (current.incarnation() != incarnation.getAsLong()) {
      return false;
    }
    return switch (current.state()) {
      case DOWN -> state == NodeRecord.State.REMOVED;
      case STARTING -> state == NodeRecord.State.DOWN;
      default -> true;
    };
  }

  static long appliedVersion(WriteResult result) {
    if (result instanceof WriteResult.Applied applied) {
      return applied.version();
    }
    throw new ConsensusException(
        Kind.BUSY, "the record of the node was changed concurrently; retry");
  }
}
