package io.fjordmq.cluster.metadata;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.consensus.ReplicaSet;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's replica of the metadata group. Thread-safe. Only {@link #open} and {@link #close}
 * block. Futures complete on a thread of the group, which must not be blocked.
 *
 * <p>This class does not retry writes. If a batch fails with {@link Kind#OUTCOME_UNKNOWN}, the
 * writer reads the view again ({@link #readView}) and concludes from versions and values whether
 * the batch was applied.
 */
public final class MetadataGroup implements AutoCloseable {
  /** The id of the metadata group, which is the same in every cluster. */
  public static final GroupId GROUP = new GroupId("metadata");

  private static final Logger LOG = LoggerFactory.getLogger(MetadataGroup.class);
  private static final long REOPEN_PAUSE_MILLIS = 1_000;

  private final MetadataSettings settings;
  private final MetadataState state;
  private final ConsensusHost host;
  private final Executor disk;
  private volatile Consensus consensus;
  private boolean closed;

  private MetadataGroup(
      ConsensusHost host,
      Executor disk,
      MetadataSettings settings,
      MetadataState state,
      Consensus consensus) {
    this.host = host;
    this.disk = disk;
    this.settings = settings;
    this.state = state;
    this.consensus = consensus;
  }

  /**
   * Creates this node's replica of the metadata group with these members. Does nothing if the
   * replica exists.
   */
  public static void bootstrap(ConsensusHost host, ReplicaSet members) {
    host.create(GROUP, members);
  }

  /** Returns whether this node has a replica. */
  public static boolean exists(ConsensusHost host) {
    return host.groups().contains(GROUP);
  }

  /**
   * Opens the replica: reads the last checkpoint and joins the group. Log entries after the
   * checkpoint appear in the view as they are applied.
   *
   * @param disk runs blocking disk operations (checkpoints)
   * @throws IOException if the checkpoint cannot be read
   * @throws ConsensusException if there is no replica, or its log cannot be read
   */
  public static MetadataGroup open(
      ConsensusHost host, MetadataStorage storage, MetadataSettings settings, Executor disk)
      throws IOException {
    CompletableFuture<MetadataGroup> opened = new CompletableFuture<>();
    MetadataState state =
        MetadataState.load(
            storage,
            disk,
            settings.checkpointEveryEntries(),
            () -> checkpoint(opened.getNow(null)));
    // Registered before opening, because the replica may halt immediately.
    state.watch(
        new MetadataListener() {
          @Override
          public void onChanged(MetadataView view, List<MetadataUpdate> updates) {}

          @Override
          public void onHalted(ConsensusException cause) {
            if (MetadataState.isLogFailure(cause)) {
              opened.thenAccept(MetadataGroup::reopenLater);
            }
          }
        });
    MetadataGroup group = new MetadataGroup(host, disk, settings, state, host.open(GROUP, state));
    opened.complete(group);
    return group;
  }

  /**
   * Reopens the replica after a log failure. Without a replica this node could neither vote nor
   * lead.
   */
  private void reopenLater() {
    CompletableFuture.delayedExecutor(REOPEN_PAUSE_MILLIS, TimeUnit.MILLISECONDS, disk)
        .execute(this::reopen);
  }

  private synchronized void reopen() {
    if (closed) {
      return;
    }
    consensus.close();
    if (host.failure() != null) { // the replica would halt again
      reopenLater();
      return;
    }
    try {
      consensus = host.open(GROUP, state);
      state.onReopened();
      LOG.info("Metadata group reopened");
    } catch (RuntimeException e) {
      LOG.warn("Cannot reopen the metadata group; retrying", e);
      reopenLater();
    }
  }

  /** Returns the state that this replica has applied, which may be behind that of the leader. */
  public MetadataView view() {
    return state.view();
  }

  /**
   * Returns a view that includes every write that completed on any node before this call. Fails
   * with {@link ConsensusException}.
   */
  public CompletableFuture<MetadataView> readView() {
    return consensus.readIndex().thenApply(index -> state.view());
  }

  /**
   * Writes all changes or none; leader only. Completes once a majority has made the batch durable
   * and this replica has applied it. Fails with {@link ConsensusException}.
   *
   * @param batch not empty, without duplicate keys, at most {@link MetadataSettings#maxBatchBytes}
   *     when encoded
   * @throws IllegalArgumentException if the batch violates these limits
   */
  public CompletableFuture<WriteResult> write(List<Change> batch) {
    Leadership leadership = consensus.leadership();
    if (!leadership.leading()) {
      return CompletableFuture.failedFuture(
          new ConsensusException(
              Kind.NOT_LEADER,
              "this node does not lead the metadata group; the leader is "
                  + (leadership.leader() == null ? "unknown" : leadership.leader())));
    }
    return write(leadership.term(), batch);
  }

  /**
   * Like {@link #write(List)}, but only in the given term: a decision made in one term may be
   * outdated in a later one, even if this node leads both.
   *
   * @throws IllegalArgumentException as above
   */
  public CompletableFuture<WriteResult> write(long expectedTerm, List<Change> batch) {
    PendingWrite write = new PendingWrite();
    consensus.propose(expectedTerm, encode(batch), write);
    return write.result();
  }

  /** Changes the replica set of the group; leader only. Fails with {@link ConsensusException}. */
  public CompletableFuture<Void> changeReplicas(ReplicaSet target) {
    return consensus.changeReplicas(target);
  }

  /** Transfers leadership to another voter; leader only. Fails with {@link ConsensusException}. */
  public CompletableFuture<Void> transferLeadership(NodeId target) {
    return consensus.transferLeadership(target);
  }

  /**
   * Registers a listener. Before this method returns, it calls the listener with all existing
   * records on the calling thread; later calls come from a thread of the group, in order.
   */
  public void watch(MetadataListener listener) {
    state.watch(listener);
  }

  /** Removes a listener. Calls already in progress may still complete. */
  public void unwatch(MetadataListener listener) {
    state.unwatch(listener);
  }

  public Leadership leadership() {
    return consensus.leadership();
  }

  /** Returns why this replica has halted; null if it has not. */
  public @Nullable String failure() {
    return state.failure();
  }

  /** Returns the status for metrics and status pages. */
  public GroupStatus status() {
    return consensus.status();
  }

  /** Makes everything applied so far durable outside the log; see {@link Consensus#checkpoint}. */
  public CompletableFuture<Long> checkpoint() {
    return consensus.checkpoint();
  }

  /** Closes the replica. Acknowledged writes are in the log. */
  @Override
  public synchronized void close() {
    closed = true;
    consensus.close();
  }

  private byte[] encode(List<Change> batch) {
    if (batch.isEmpty() || batch.stream().map(Change::key).distinct().count() < batch.size()) {
      throw new IllegalArgumentException(
          "a metadata batch must not be empty or contain a key twice: " + batch);
    }
    byte[] entry = MetadataCodec.encodeBatch(batch);
    if (entry.length > settings.maxBatchBytes()) {
      throw new IllegalArgumentException(
          "metadata batch of %d bytes exceeds maxBatchBytes (%d)"
              .formatted(entry.length, settings.maxBatchBytes()));
    }
    return entry;
  }

  private static void checkpoint(@Nullable MetadataGroup group) {
    if (group == null) {
      return;
    }
    group
        .consensus
        .checkpoint()
        .whenComplete(
            (index, failure) -> {
              if (failure == null) {
                LOG.debug("Metadata checkpoint written index={}", index);
              } else {
                LOG.warn("Metadata checkpoint failed; keeping the log until the next one", failure);
              }
            });
  }
}
