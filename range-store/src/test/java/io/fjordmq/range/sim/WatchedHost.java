package io.fjordmq.range.sim;

import static java.nio.charset.StandardCharsets.UTF_8;

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
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.kv.SimKv;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.zip.CRC32C;

/** Checks every replica of words after each change, and reports which replicas are removed. */
final class WatchedHost implements ConsensusHost {
  private static final byte PROGRESS = 2;
  private static final byte SENDER = 3;

  private final SimHost host;
  private final SimKv kv;
  private final String store;
  private final WordHistory history;
  private final SimCounts counts;
  private final BiConsumer<NodeId, GroupId> removed;
  private final boolean readsUnconfirmed;

  /**
   * @param removed called before a replica's log is removed
   * @param readsUnconfirmed a defect: reads are confirmed without contacting the other voters
   */
  WatchedHost(
      SimHost host,
      SimKv kv,
      String store,
      WordHistory history,
      SimCounts counts,
      BiConsumer<NodeId, GroupId> removed,
      boolean readsUnconfirmed) {
    this.host = host;
    this.kv = kv;
    this.store = store;
    this.history = history;
    this.counts = counts;
    this.removed = removed;
    this.readsUnconfirmed = readsUnconfirmed;
  }

  @Override
  public Set<GroupId> groups() {
    return host.groups();
  }

  @Override
  public void create(GroupId group, ReplicaSet members) {
    host.create(group, members);
  }

  @Override
  public void create(GroupId group, ReplicaSet members, long appliedIndex) {
    host.create(group, members, appliedIndex);
  }

  @Override
  public Consensus open(GroupId group, ReplicatedState state) {
    Consensus opened = host.open(group, new WatchedState(group, state));
    return readsUnconfirmed ? new UnconfirmedReads(opened) : opened;
  }

  @Override
  public void destroy(GroupId group) {
    history.check(() -> removed.accept(host.node(), group));
    host.destroy(group);
  }

  @Override
  public void close() {
    host.close();
  }

  /** Compares a replica's rows with the recorded history. */
  private void checkReplica(GroupId group) {
    RangeDescriptor range = StoredRanges.of(kv, store).get(group);
    if (range == null && StoredRanges.isAbsorbed(kv, StoredRanges.idOf(group))) {
      return; // another range holds its keys, regardless of its log
    } else if (range == null) {
      throw new AssertionError(host.node() + " has no descriptor of " + group);
    }
    long[] applied = new long[1];
    CRC32C digest = new CRC32C();
    kv.space(range.id().store())
        .latest()
        .scan(
            new byte[0],
            null,
            (row, value) -> {
              if (row[0] == SimNode.DATA) {
                byte[] key = Arrays.copyOfRange(row, 1, row.length);
                // All keys: what it applied before a split belongs to another replica after it.
                history.onReplicaValue(new String(key, UTF_8), new String(value, UTF_8));
                if (!range.interval().contains(key)) {
                  return true;
                }
              } else if (ByteBuffer.wrap(row).getLong(1) != range.id().number()
                  || (row[9] != PROGRESS && row[9] != SENDER)) {
                return true;
              } else if (row[9] == PROGRESS) {
                applied[0] = ByteBuffer.wrap(value).getLong(1);
              }
              digest.update(row);
              digest.update(value);
              return true;
            });
    history.checkDigest(group, applied[0], digest.getValue());
  }

  private final class WatchedState implements ReplicatedState {
    private final GroupId group;
    private final ReplicatedState state;

    WatchedState(GroupId group, ReplicatedState state) {
      this.group = group;
      this.state = state;
    }

    @Override
    public long appliedIndex() {
      return state.appliedIndex();
    }

    @Override
    public void apply(List<CommittedEntry> entries) {
      state.apply(entries);
      history.check(() -> checkReplica(group));
    }

    @Override
    public void onLeaderStart(long term) {
      state.onLeaderStart(term);
    }

    @Override
    public void onLeaderStop() {
      state.onLeaderStop();
    }

    @Override
    public void checkpoint(CheckpointRequest request) {
      state.checkpoint(request);
    }

    @Override
    public long export(Path directory) throws IOException {
      return state.export(directory);
    }

    @Override
    public void install(Path directory) throws IOException {
      state.install(directory);
      counts.onInstalled();
      history.check(() -> checkReplica(group));
    }

    @Override
    public void onHalted(ConsensusException cause) {
      history.check(() -> refuseBug(cause));
      state.onHalted(cause);
    }

    /** Fails if an IllegalStateException halted the replica, even if a retry would succeed. */
    private void refuseBug(ConsensusException cause) {
      for (Throwable of = cause; of != null; of = of.getCause()) {
        if (of instanceof IllegalStateException) {
          throw new AssertionError(host.node() + " halted: " + of.getMessage(), cause);
        }
      }
    }
  }

  /** Assumes that it leads until it learns otherwise. */
  private record UnconfirmedReads(Consensus consensus) implements Consensus {
    @Override
    public GroupId group() {
      return consensus.group();
    }

    @Override
    public Leadership leadership() {
      return consensus.leadership();
    }

    @Override
    public void propose(long expectedTerm, byte[] entry, Proposal proposal) {
      consensus.propose(expectedTerm, entry, proposal);
    }

    @Override
    public CompletableFuture<Long> readIndex() {
      return CompletableFuture.completedFuture(0L);
    }

    @Override
    public CompletableFuture<Void> changeReplicas(ReplicaSet target) {
      return consensus.changeReplicas(target);
    }

    @Override
    public CompletableFuture<Void> transferLeadership(NodeId target) {
      return consensus.transferLeadership(target);
    }

    @Override
    public void campaign() {
      consensus.campaign();
    }

    @Override
    public CompletableFuture<Long> checkpoint() {
      return consensus.checkpoint();
    }

    @Override
    public GroupStatus status() {
      return consensus.status();
    }

    @Override
    public void close() {
      consensus.close();
    }
  }
}
