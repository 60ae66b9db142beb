package io.fjordmq.cluster.consensus;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the Raft groups of one node share: the log database and its fsync, transport, timers,
 * threads.
 *
 * <p>Thread-safe. Methods may do disk I/O and block.
 */
public interface ConsensusHost extends AutoCloseable {

  /** Groups this node holds a replica of, as its log database knows them. */
  Set<GroupId> groups();

  /**
   * Creates this node's replica of a group, durably, without opening it. Every member of a new
   * group creates the same set; a node that is to join an old one creates the members it has now,
   * then {@link Consensus#changeReplicas} adds it. Does nothing if this node holds the group.
   */
  void create(GroupId group, ReplicaSet members) throws ConsensusException;

  /**
   * The same for a group whose state does not begin with nothing: every member has it as of an
   * index, and the log begins after that. A node without that state can only begin with a snapshot.
   *
   * @param appliedIndex 1 or more; the same at every member
   */
  void create(GroupId group, ReplicaSet members, long appliedIndex) throws ConsensusException;

  /**
   * Opens a replica that exists: reads its log and starts to take part. Callbacks of the state may
   * begin before this returns: the only voter of a group leads at once.
   *
   * @throws ConsensusException if it does not exist, is open already, or its log cannot be read
   */
  Consensus open(GroupId group, ReplicatedState state) throws ConsensusException;

  /** Whether {@link #open} begins with a copy that a crash kept from being installed. */
  default boolean isInstalling(GroupId group) {
    return false;
  }

  /** Removes this node's replica of a closed group for ever: log, term and vote. */
  void destroy(GroupId group) throws ConsensusException;

  /**
   * Why the log of the groups takes no writes at the moment, or null while it does. A replica that
   * is opened meanwhile halts again or finds no leader. Does not block.
   */
  default @Nullable String failure() {
    return null;
  }

  /** Closes every open group, then what they share. */
  @Override
  void close();
}
