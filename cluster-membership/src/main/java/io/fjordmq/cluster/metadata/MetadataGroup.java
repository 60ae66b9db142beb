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
 * This node's replica of the metadata group. Thread-safe; nothing blocks but {@link #open} and
 * {@link #close}. Futures complete on a thread of the group; do not block it.
 *
 * <p>Writes are not retried here. A writer whose batch ended with {@link Kind#OUTCOME_UNKNOWN}
 * reads the view again ({@link #readView}) and sees from versions and values whether it is there.
 */
public final class MetadataGroup implements AutoCloseable {
  /** The same in every cluster. */
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
   * Creates this node's replica of a new metadata group, once in the life of a cluster; every
   * member is given the same set. Does nothing if the replica exists.
   */
  public static void bootstrap(ConsensusHost host, ReplicaSet members) throws ConsensusException {
    host.create(GROUP, members);
  }

  /** Whether this node holds a replica. */
  public static boolean exists(ConsensusHost host) {
    return host.groups().contains(GROUP);
  }

  /**
   * Opens the replica: reads the last checkpoint and takes part. What the log has beyond the
   * checkpoint appears in the view as it is applied.
   *
   * @param disk runs what blocks on the disk (checkpoints)
   * @throws IOException if the checkpoint cannot be read
   * @throws ConsensusException if there is no replica, or its log cannot be read
   */
  public static MetadataGroup open(
      ConsensusHost host, MetadataStorage storage, MetadataSettings settings, Executor disk)
      throws IOException, ConsensusException {
    CompletableFuture<MetadataGroup> opened = new CompletableFuture<>();
    MetadataState state =
        MetadataState.load(
            storage,
            disk,
            settings.checkpointEveryEntries(),
            () -> checkpoint(opened.getNow(null)));
    // Before it is opened: it may halt at once.
    state.watch(
        new MetadataListener() {
          @Override
          public void changed(MetadataView view, List<MetadataUpdate> updates) {}

          @Override
          public void halted(ConsensusException cause) {
            if (MetadataState.isOfTheLog(cause)) {
              opened.thenAccept(MetadataGroup::reopenLater);
            }
          }
        });
    MetadataGroup group = new MetadataGroup(host, disk, settings, state, host.open(GROUP, state));
    opened.complete(group);
    return group;
  }

  /** Without it this node could neither be counted on nor lead: it comes back by itself. */
  private void reopenLater() {
    CompletableFuture.delayedExecutor(REOPEN_PAUSE_MILLIS, TimeUnit.MILLISECONDS, disk)
        .execute(this::reopen);
  }

  private synchronized void reopen() {
    if (closed) {
      return;
    }
    consensus.close();
    if (host.failure() != null) { // it would halt again
      reopenLater();
      return;
    }
    try {
      consensus = host.open(GROUP, state);
      state.reopened();
      LOG.info("Metadata group reopened");
    } catch (ConsensusException | RuntimeException e) {
      LOG.warn("Cannot reopen the metadata group, retrying", e);
      reopenLater();
    }
  }

  /** What this replica knows; may be behind the leader. */
  public MetadataView view() {
    return state.view();
  }

  /**
   * A view that has every write completed anywhere before this call. Fails with {@link
   * ConsensusException}.
   */
  public CompletableFuture<MetadataView> readView() {
    return consensus.readIndex().thenApply(index -> state.view());
  }

  /**
   * Writes all changes or none; on the leader only. Completes once the batch is on stable storage
   * at a majority and applied here. Fails with {@link ConsensusException}.
   *
   * @param batch not empty, at most {@link MetadataSettings#maxBatchBytes} encoded, no key twice
   * @throws IllegalArgumentException if the batch is something else
   */
  public CompletableFuture<WriteResult> write(List<Change> batch) {
    Leadership leadership = consensus.leadership();
    if (!leadership.leading()) {
      return CompletableFuture.failedFuture(
          new ConsensusException(
              Kind.NOT_LEADER,
              "this node does not lead the metadata group; the leader is " + leadership.leader()));
    }
    return write(leadership.term(), batch);
  }

  /**
   * As {@link #write(List)}, but only in the term in which the caller decided: what it knew then
   * may be wrong in a later one, though it leads that as well.
   *
   * @throws IllegalArgumentException as above
   */
  public CompletableFuture<WriteResult> write(long expectedTerm, List<Change> batch) {
    PendingWrite write = new PendingWrite();
    consensus.propose(expectedTerm, encode(batch), write);
    return write.result();
  }

  /** Changes who holds the group; leader only. Fails with {@link ConsensusException}. */
  public CompletableFuture<Void> changeReplicas(ReplicaSet target) {
    return consensus.changeReplicas(target);
  }

  /** Hands leadership to another voter; leader only. Fails with {@link ConsensusException}. */
  public CompletableFuture<Void> transferLeadership(NodeId target) {
    return consensus.transferLeadership(target);
  }

  /**
   * Follows the metadata. The listener is called with everything there is before this returns, on
   * the calling thread; later on a thread of the group, in order.
   */
  public void watch(MetadataListener listener) {
    state.watch(listener);
  }

  /** Calls that have begun may still come to their end. */
  public void unwatch(MetadataListener listener) {
    state.unwatch(listener);
  }

  public Leadership leadership() {
    return consensus.leadership();
  }

  /** Why this replica takes part no more; null while it does. */
  public @Nullable String failure() {
    return state.failure();
  }

  /** Figures for metrics and status pages. */
  public GroupStatus status() {
    return consensus.status();
  }

  /** Makes everything applied so far durable outside the log; see {@link Consensus#checkpoint}. */
  public CompletableFuture<Long> checkpoint() {
    return consensus.checkpoint();
  }

  /** Stops taking part; what was acknowledged is in the log. */
  @Override
  public synchronized void close() {
    closed = true;
    consensus.close();
  }

  private byte[] encode(List<Change> batch) {
    if (batch.isEmpty() || batch.stream().map(Change::key).distinct().count() < batch.size()) {
      throw new IllegalArgumentException("a batch is not empty and has no key twice: " + batch);
    }
    byte[] entry = MetadataCodec.encodeBatch(batch);
    if (entry.length > settings.maxBatchBytes()) {
      throw new IllegalArgumentException(
          "a metadata batch of %d bytes is larger than maxBatchBytes, %d"
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
                LOG.debug("metadata checkpoint at index {}", index);
              } else {
                LOG.warn("Metadata checkpoint failed; keeping the log until the next one", failure);
              }
            });
  }
}
