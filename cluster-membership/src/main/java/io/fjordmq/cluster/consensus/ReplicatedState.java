package io.fjordmq.cluster.consensus;

import java.nio.file.Path;
import java.util.List;

/**
 * A deterministic state machine that a Raft group feeds with committed entries.
 *
 * <p>Unless stated otherwise, the methods of one replica are called sequentially, by one thread at
 * a time. No method may wait for the group itself. An exception from {@link #apply} or {@link
 * #install} halts the replica ({@link #onHalted} follows); entries are never skipped.
 */
public interface ReplicatedState {

  /**
   * Returns the index of the last entry that the state on disk includes; 0 if none. Entries up to
   * this index are not applied again. Called once, before any other method.
   */
  long appliedIndex();

  /**
   * Applies entries in order. On return, the state includes all of them (not necessarily on disk,
   * because they are in the log), and the owner of each {@link CommittedEntry#proposal} has been
   * notified. If this method throws, the state still owns the proposals of these entries and must
   * complete them, at the latest in {@link #onHalted}; the group fails all other proposals.
   */
  void apply(List<CommittedEntry> entries);

  /**
   * Called when this replica leads and has applied every entry that was committed before this term.
   */
  void onLeaderStart(long term);

  /**
   * Called when this replica no longer leads. Each entry that it proposed is still applied or
   * fails, and its proposal is notified either way.
   */
  void onLeaderStop();

  /**
   * Makes everything applied so far durable, asynchronously on the state's own threads, then
   * completes the request. Until then the log keeps the entries.
   */
  void checkpoint(CheckpointRequest request);

  /** Receives the outcome of a checkpoint. */
  interface CheckpointRequest {
    void onDurable();

    void onFailed(Exception cause);
  }

  /**
   * Writes a consistent snapshot of the state into an empty directory, for a replica that is too
   * far behind for the log. May be called by another thread while {@link #apply} runs.
   *
   * @return the applied index of the snapshot
   */
  long export(Path directory) throws java.io.IOException;

  /**
   * Replaces the whole state with a snapshot that {@link #export} wrote on another node; durable on
   * return. If the process crashes during the call, the next open of the replica repeats it with
   * the same directory, right after calling {@link #appliedIndex}, whose result is undefined until
   * then. The call may be repeated even if it had returned before the crash.
   *
   * @throws SnapshotRefusedException if neither this call nor an interrupted earlier one has
   *     changed the state (changes of an interrupted call must have been undone). The group
   *     discards this snapshot and fetches another one when the replica is next opened
   * @throws java.io.IOException if the state may be a mixture of old and new; the call is repeated
   *     as above
   */
  void install(Path directory) throws java.io.IOException;

  /** Called when the replica has failed; it is inactive until it is closed and reopened. */
  void onHalted(ConsensusException cause);
}
