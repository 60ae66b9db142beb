package io.fjordmq.range.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.CommittedEntry;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.consensus.Proposal;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.ReplicatedState;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Groups with one voter in one process: what is proposed is committed and applied before the call
 * returns. Logs survive the host, as if they were on disk.
 */
final class SoloConsensus implements ConsensusHost {
  private final NodeId self;
  private final Map<GroupId, Log> logs;
  private final boolean uncut;
  private final List<Group> open = new CopyOnWriteArrayList<>();

  /** A group's log; never cut, so that every start can apply it from anywhere. */
  static final class Log {
    private final long base;
    private final List<byte[]> entries = new ArrayList<>();
    private long term;

    Log(long base) {
      this.base = base;
    }

    long last() {
      return base + entries.size();
    }
  }

  /**
   * @param uncut logs say that they begin with entry 1, as those of earlier versions do
   */
  SoloConsensus(NodeId self, Map<GroupId, Log> logs, boolean uncut) {
    this.self = self;
    this.logs = logs;
    this.uncut = uncut;
  }

  @Override
  public Set<GroupId> groups() {
    return new HashSet<>(logs.keySet());
  }

  @Override
  public void create(GroupId group, ReplicaSet members) {
    create(group, members, 0);
  }

  @Override
  public void create(GroupId group, ReplicaSet members, long appliedIndex) {
    logs.putIfAbsent(group, new Log(appliedIndex));
  }

  @Override
  public Consensus open(GroupId group, ReplicatedState state) throws ConsensusException {
    Log log = logs.get(group);
    if (log == null) {
      throw new ConsensusException(ConsensusException.Kind.FAILED, "no group " + group);
    }
    Group opened = new Group(group, log, state);
    open.add(opened);
    opened.lead();
    return opened;
  }

  /** All groups lose their leader and get it back in a new term. */
  void reelect() {
    for (Group group : open) {
      group.follow();
      group.lead();
    }
  }

  @Override
  public void destroy(GroupId group) {
    logs.remove(group);
  }

  @Override
  public void close() {
    List.copyOf(open).forEach(Group::close);
  }

  private final class Group implements Consensus {
    private final GroupId id;
    private final Log log;
    private final ReplicatedState state;
    private final Queue<CommittedEntry> committed = new ArrayDeque<>();
    private boolean applying;
    private boolean leading;
    private boolean closed;
    private long applied;

    Group(GroupId id, Log log, ReplicatedState state) {
      this.id = id;
      this.log = log;
      this.state = state;
    }

    synchronized void lead() {
      if (applied == 0) {
        applied = state.appliedIndex();
        for (long index = applied + 1; index <= log.last(); index++) {
          commit(index, null);
        }
        applyAll();
      }
      if (!closed) {
        leading = true;
        state.leading(++log.term);
      }
    }

    synchronized void follow() {
      if (leading && !closed) {
        leading = false;
        state.following();
      }
    }

    @Override
    public GroupId group() {
      return id;
    }

    @Override
    public synchronized Leadership leadership() {
      return new Leadership(log.term, leading ? self : null, leading);
    }

    @Override
    public synchronized void propose(long expectedTerm, byte[] entry, Proposal proposal) {
      if (closed || !leading || expectedTerm != log.term) {
        proposal.failed(
            new ConsensusException(ConsensusException.Kind.NOT_LEADER, "not leading " + id));
        return;
      }
      log.entries.add(entry);
      commit(log.last(), proposal);
      applyAll();
    }

    private void commit(long index, @Nullable Proposal proposal) {
      ByteBuffer data =
          ByteBuffer.wrap(log.entries.get((int) (index - log.base) - 1)).asReadOnlyBuffer();
      committed.add(new CommittedEntry(index, log.term, data, proposal));
    }

    /** What is applied may propose more; that comes after it. */
    private void applyAll() {
      if (applying) {
        return;
      }
      applying = true;
      try {
        while (!committed.isEmpty()) {
          CommittedEntry entry = committed.remove();
          state.apply(List.of(entry));
          applied = entry.index();
        }
      } catch (RuntimeException e) {
        closed = true;
        leading = false;
        state.halted(
            new ConsensusException(ConsensusException.Kind.FAILED, "cannot apply: " + e, e));
      } finally {
        applying = false;
      }
    }

    @Override
    public synchronized CompletableFuture<Long> readIndex() {
      return CompletableFuture.completedFuture(applied);
    }

    @Override
    public CompletableFuture<Void> changeReplicas(ReplicaSet target) {
      throw new UnsupportedOperationException("one voter only");
    }

    @Override
    public CompletableFuture<Void> transferLeadership(NodeId target) {
      throw new UnsupportedOperationException("one voter only");
    }

    @Override
    public void campaign() {
      // It leads from the beginning.
    }

    @Override
    public CompletableFuture<Long> checkpoint() {
      CompletableFuture<Long> result = new CompletableFuture<>();
      long covered = applied;
      state.checkpoint(
          new ReplicatedState.CheckpointRequest() {
            @Override
            public void durable() {
              result.complete(covered);
            }

            @Override
            public void failed(Exception cause) {
              result.completeExceptionally(cause);
            }
          });
      return result;
    }

    @Override
    public synchronized GroupStatus status() {
      long last = log.last();
      return new GroupStatus(
          leadership(), ReplicaSet.ofVoters(self), uncut ? 1 : log.base + 1, last, last, applied);
    }

    @Override
    public synchronized void close() {
      closed = true;
      leading = false;
      open.remove(this);
    }
  }
}
