package io.fjordmq.perf.micro;

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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * Groups with one voter and no stored log: a proposal is committed at once. Benchmarks then measure
 * a range without its log, which depends on the disk.
 */
final class SoloConsensus implements ConsensusHost {
  private final NodeId self;
  private final Executor applying;
  private final Map<GroupId, Long> created = new ConcurrentHashMap<>();

  /**
   * @param applying applies entries in the order of submission
   */
  SoloConsensus(NodeId self, Executor applying) {
    this.self = self;
    this.applying = applying;
  }

  @Override
  public Set<GroupId> groups() {
    return Set.copyOf(created.keySet());
  }

  @Override
  public void create(GroupId group, ReplicaSet members) {
    create(group, members, 0);
  }

  @Override
  public void create(GroupId group, ReplicaSet members, long appliedIndex) {
    created.putIfAbsent(group, appliedIndex);
  }

  @Override
  public Consensus open(GroupId group, ReplicatedState state) throws ConsensusException {
    Long base = created.get(group);
    if (base == null) {
      throw new ConsensusException(ConsensusException.Kind.FAILED, "no group " + group);
    }
    Group opened = new Group(group, state, base);
    opened.lead();
    return opened;
  }

  @Override
  public void destroy(GroupId group) {
    created.remove(group);
  }

  @Override
  public void close() {
    // nothing is stored
  }

  private final class Group implements Consensus {
    private static final long TERM = 1;

    private final GroupId id;
    private final ReplicatedState state;
    private long last;
    private boolean closed;

    Group(GroupId id, ReplicatedState state, long base) {
      this.id = id;
      this.state = state;
      this.last = base;
    }

    synchronized void lead() {
      last = Math.max(last, state.appliedIndex());
      state.leading(TERM);
    }

    @Override
    public GroupId group() {
      return id;
    }

    @Override
    public synchronized Leadership leadership() {
      return new Leadership(TERM, self, !closed);
    }

    @Override
    public void propose(long expectedTerm, byte[] entry, Proposal proposal) {
      applying.execute(() -> apply(entry, proposal));
    }

    private synchronized void apply(byte[] entry, Proposal proposal) {
      if (closed) {
        proposal.failed(new ConsensusException(ConsensusException.Kind.FAILED, id + " is closed"));
        return;
      }
      ByteBuffer data = ByteBuffer.wrap(entry).asReadOnlyBuffer();
      state.apply(List.of(new CommittedEntry(++last, TERM, data, proposal)));
    }

    @Override
    public synchronized CompletableFuture<Long> readIndex() {
      return CompletableFuture.completedFuture(last);
    }

    @Override
    public CompletableFuture<Void> changeReplicas(ReplicaSet target) {
      return CompletableFuture.failedFuture(new UnsupportedOperationException("one voter only"));
    }

    @Override
    public CompletableFuture<Void> transferLeadership(NodeId target) {
      return CompletableFuture.failedFuture(new UnsupportedOperationException("one voter only"));
    }

    @Override
    public void campaign() {
      // It leads from the beginning.
    }

    @Override
    public synchronized CompletableFuture<Long> checkpoint() {
      CompletableFuture<Long> result = new CompletableFuture<>();
      long covered = last;
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
      return new GroupStatus(leadership(), ReplicaSet.ofVoters(self), last + 1, last, last, last);
    }

    @Override
    public synchronized void close() {
      closed = true;
    }
  }
}
