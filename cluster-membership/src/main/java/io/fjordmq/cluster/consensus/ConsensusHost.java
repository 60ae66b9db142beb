package io.fjordmq.cluster.consensus;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Hosts the Raft groups of one node. They share a log database and its fsyncs, the transport,
 * timers and threads.
 *
 * <p>Thread-safe. Methods may do disk I/O and block.
 */
public interface ConsensusHost extends AutoCloseable {

  /** Returns the groups that this node holds a replica of, according to its log database. */
  Set<GroupId> groups();

  /**
   * Durably creates this node's replica of a group, without opening it. Every member of a new group
   * passes the same set. A node that joins an existing group passes its current members; then
   * {@link Consensus#changeReplicas} adds the node. Does nothing if this node already holds a
   * replica.
   */
  void create(GroupId group, ReplicaSet members);

  /**
   * Creates a replica of a group whose initial state is not empty: every member has the state as of
   * an index, and the log begins after that index. A node without that state has to start from a
   * snapshot.
   *
   * @param appliedIndex 1 or more; the same on every member
   */
  void create(GroupId group, ReplicaSet members, long appliedIndex);

  /**
   * Opens an existing replica: reads its log and joins the group. Callbacks of the state may begin
   * before this method returns, because the only voter of a group becomes leader immediately.
   *
   * @throws ConsensusException if the replica does not exist, is already open, or its log cannot be
   *     read
   */
  Consensus open(GroupId group, ReplicatedState state);

  /**
   * Returns whether {@link #open} will first repeat a snapshot installation that a crash
   * interrupted.
   */
  default boolean isInstalling(GroupId group) {
    return false;
  }

  /** Permanently deletes this node's replica of a closed group: log, term and vote. */
  void destroy(GroupId group);

  /**
   * Returns why the log database currently rejects writes; null if it accepts them. A replica that
   * is opened while writes are rejected halts again or finds no leader. Does not block.
   */
  default @Nullable String failure() {
    return null;
  }

  /** Closes every open group, then the resources that they share. */
  @Override
  void close();
}
