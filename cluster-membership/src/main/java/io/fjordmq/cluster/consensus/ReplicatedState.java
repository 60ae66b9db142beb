package io.fjordmq.cluster.consensus;

import java.nio.file.Path;
import java.util.List;

/**
 * What a group drives: a deterministic state fed with committed entries.
 *
 * <p>All methods of one replica are called by one thread at a time, in an order; none may wait for
 * the group itself. An exception from {@link #apply} or {@link #install} halts the replica ({@link
 * #halted} follows); entries are never skipped.
 */
public interface ReplicatedState {

  /**
   * Index of the last entry whose effect is in the state as it was reopened from disk; 0 if none.
   * Entries up to it are not applied again. Called once, before anything else.
   */
  long appliedIndex();

  /**
   * Applies entries in order. When it returns the state has all of them (not necessarily on disk:
   * the log has), and the owner of each {@link CommittedEntry#proposal} has been told. If it
   * throws, the state still owns the proposals of these entries and ends them, at the latest in
   * {@link #halted}; all others are failed by the group.
   */
  void apply(List<CommittedEntry> entries);

  /** This replica leads from now on and has applied everything committed before this term. */
  void leading(long term);

  /**
   * This replica no longer leads. Entries it proposed fail or are applied; both are reported to the
   * proposals.
   */
  void following();

  /**
   * Makes what was applied so far durable, in its own time and on its own threads, then completes
   * the request. Until then the log keeps the entries.
   */
  void checkpoint(CheckpointRequest request);

  /** Asked of a replica's state that is behind further than the log reaches. */
  interface CheckpointRequest {
    void durable();

    void failed(Exception cause);
  }

  /**
   * Writes a consistent copy of the state into an empty directory, for a replica that is too far
   * behind for the log. May be called while {@link #apply} runs, from another thread.
   *
   * @return the applied index the copy contains
   */
  long export(Path directory) throws java.io.IOException;

  /**
   * Replaces the whole state by a copy that {@link #export} made on another node; durable when it
   * returns. If it did not return because the process died, it is called again with the same
   * directory when the replica is next opened, right after {@link #appliedIndex}; until then that
   * may be anything. It may have returned before the process died.
   *
   * @throws SnapshotRefusedException if nothing has changed, neither now nor by an earlier call
   *     that did not return (a state makes that good before it is asked): this copy is forgotten,
   *     and the group fetches another one when the replica is next opened
   * @throws java.io.IOException if the state may be half of each: it is called again as above
   */
  void install(Path directory) throws java.io.IOException;

  /** The replica failed and takes no part any more until its group is closed and opened again. */
  void halted(ConsensusException cause);
}
