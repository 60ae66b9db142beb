package io.fjordmq.cluster.consensus;

import java.util.Set;

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
   * Creates this node's replica of a new group, durably, without opening it. Every member creates
   * the same set. Does nothing if the group exists.
   */
  void create(GroupId group, ReplicaSet members) throws ConsensusException;

  /**
   * Opens a replica that exists: reads its log and starts to take part.
   *
   * @throws ConsensusException if it does not exist, is open already, or its log cannot be read
   */
  Consensus open(GroupId group, ReplicatedState state) throws ConsensusException;

  /** Removes this node's replica of a closed group for ever: log, term and vote. */
  void destroy(GroupId group) throws ConsensusException;

  /** Closes every open group, then what they share. */
  @Override
  void close();
}
