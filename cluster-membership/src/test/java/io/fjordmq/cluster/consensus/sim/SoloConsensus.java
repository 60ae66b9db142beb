package io.fjordmq.cluster.consensus.sim;

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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Groups with one voter in one process: a proposal is committed at once and applied by an executor,
 * or before the call returns. Logs outlive the host, as if they were on disk, or are not kept at
 * all.
 */
public final class SoloConsensus implements ConsensusHost {
  private final NodeId self;
  private final Map<GroupId, Log> logs;
  private final boolean retainsEntries;
  private final boolean untruncated;
  private final Executor executor;
  private final List<Group> openGroups = new CopyOnWriteArrayList<>();

  /** A group's log; never truncated, so that every start can replay it from any index. */
  public static final class Log {
    private final long base;
    private final boolean retainsEntries;
    private final List<byte[]> entries = new ArrayList<>();
    private long last;
    private long term;

    private Log(long base, boolean retainsEntries) {
      this.base = base;
      this.retainsEntries = retainsEntries;
      this.last = base;
    }

    private void append(byte[] entry) {
      last++;
      if (retainsEntries) {
        entries.add(entry);
      }
    }

    private byte[] entry(long index) {
      return entries.get((int) (index - base) - 1);
    }
  }

  private SoloConsensus(
      NodeId self,
      Map<GroupId, Log> logs,
      boolean retainsEntries,
      boolean untruncated,
      Executor executor) {
    this.self = self;
    this.logs = logs;
    this.retainsEntries = retainsEntries;
    this.untruncated = untruncated;
    this.executor = executor;
  }

  /**
   * Creates a host whose groups apply within the call that proposes.
   *
   * @param logs of the groups; a later host continues with them
   * @param untruncated whether logs report that they start with entry 1, like those of earlier
   *     versions
   */
  public static SoloConsensus withLogs(NodeId self, Map<GroupId, Log> logs, boolean untruncated) {
    return new SoloConsensus(self, logs, true, untruncated, Runnable::run);
  }

  /**
   * Creates a host that keeps no entries, for benchmarks of a range without its log.
   *
   * @param executor applies entries in the order of submission
   */
  public static SoloConsensus withoutLogs(NodeId self, Executor executor) {
    return new SoloConsensus(self, new ConcurrentHashMap<>(), false, false, executor);
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
    logs.putIfAbsent(group, new Log(appliedIndex, retainsEntries));
  }

  @Override
  public Consensus open(GroupId group, ReplicatedState state) {
    Log log = logs.get(group);
    if (log == null) {
      throw new ConsensusException(ConsensusException.Kind.FAILED, "no group " + group);
    }
    Group opened = new Group(group, log, state);
    openGroups.add(opened);
    opened.lead();
    return opened;
  }

  /** Makes every group lose its leader and elect the same one in a new term. */
  public void reelect() {
    for (Group group : openGroups) {
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
    List.copyOf(openGroups).forEach(Group::close);
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
        log.last = Math.max(log.last, applied);
        for (long index = applied + 1; index <= log.last; index++) {
          commit(index, log.entry(index), null);
        }
        applyAll();
      }
      if (!closed) {
        leading = true;
        state.onLeaderStart(++log.term);
      }
    }

    synchronized void follow() {
      if (leading && !closed) {
        leading = false;
        state.onLeaderStop();
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
    public void propose(long expectedTerm, byte[] entry, Proposal proposal) {
      executor.execute(() -> append(expectedTerm, entry, proposal));
    }

    private synchronized void append(long expectedTerm, byte[] entry, Proposal proposal) {
      if (closed || !leading || expectedTerm != log.term) {
        proposal.onFailed(
            new ConsensusException(ConsensusException.Kind.NOT_LEADER, "not leading " + id));
        return;
      }
      log.append(entry);
      commit(log.last, entry, proposal);
      applyAll();
    }

    private void commit(long index, byte[] entry, @Nullable Proposal proposal) {
      ByteBuffer data = ByteBuffer.wrap(entry).asReadOnlyBuffer();
      committed.add(new CommittedEntry(index, log.term, data, proposal));
    }

    /** Applied entries may propose further ones, which are applied afterwards. */
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
        state.onHalted(
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
      // It leads from the start.
    }

    @Override
    public synchronized CompletableFuture<Long> checkpoint() {
      CompletableFuture<Long> result = new CompletableFuture<>();
      long covered = applied;
      state.checkpoint(
          new ReplicatedState.CheckpointRequest() {
            @Override
            public void onDurable() {
              result.complete(covered);
            }

            @Override
            public void onFailed(Exception cause) {
              result.completeExceptionally(cause);
            }
          });
      return result;
    }

    @Override
    public synchronized GroupStatus status() {
      long last = log.last;
      return new GroupStatus(
          leadership(),
          ReplicaSet.ofVoters(self),
          untruncated ? 1 : log.base + 1,
          last,
          last,
          applied);
    }

    @Override
    public synchronized void close() {
      closed = true;
      leading = false;
      openGroups.remove(this);
    }
  }
}
