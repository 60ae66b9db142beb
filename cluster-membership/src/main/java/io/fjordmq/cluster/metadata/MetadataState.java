package io.fjordmq.cluster.metadata;

import io.fjordmq.cluster.consensus.CommittedEntry;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ReplicatedState;
import io.fjordmq.cluster.consensus.SnapshotRefusedException;
import io.fjordmq.common.NewerFormatException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of one metadata replica: a {@link MetadataView} and its applied index.
 *
 * <p>The monitor of this object guards index and view together and orders the calls to listeners.
 */
final class MetadataState implements ReplicatedState {
  private static final Logger LOG = LoggerFactory.getLogger(MetadataState.class);
  private static final String EXPORT_FILE = "metadata";

  private final MetadataStorage storage;
  private final Executor disk;
  private final int checkpointEveryEntries;
  private final Runnable onCheckpointDue;
  private final Set<MetadataListener> listeners = new CopyOnWriteArraySet<>();
  private long appliedIndex;
  private volatile MetadataView view;
  private volatile @Nullable String failure;

  private int entriesSinceCheckpoint;

  private MetadataState(
      MetadataStorage storage,
      Executor disk,
      MetadataCodec.Checkpoint start,
      int checkpointEveryEntries,
      Runnable checkpointDue) {
    this.storage = storage;
    this.disk = disk;
    this.checkpointEveryEntries = checkpointEveryEntries;
    this.onCheckpointDue = checkpointDue;
    this.appliedIndex = start.appliedIndex();
    this.view = start.view();
  }

  /**
   * Reads the last checkpoint. The log of the group provides the later entries.
   *
   * @param checkpointDue called by {@link #apply} after {@code checkpointEveryEntries} entries;
   *     must not block
   */
  static MetadataState load(
      MetadataStorage storage, Executor disk, int checkpointEveryEntries, Runnable checkpointDue)
      throws IOException {
    byte[] checkpoint = storage.load();
    return new MetadataState(
        storage,
        disk,
        checkpoint == null
            ? new MetadataCodec.Checkpoint(0, MetadataView.EMPTY)
            : decode(checkpoint),
        checkpointEveryEntries,
        checkpointDue);
  }

  private static MetadataCodec.Checkpoint decode(byte[] checkpoint) throws IOException {
    try {
      return MetadataCodec.decodeCheckpoint(checkpoint);
    } catch (IOException e) {
      throw NewerFormatException.findIn(e) != null
          ? e
          : new IOException(
              e.getMessage() + "; start with an empty data directory to join as a new node", e);
    }
  }

  MetadataView view() {
    return view;
  }

  /** Returns why the replica has halted; null if it has not. */
  @Nullable String failure() {
    return failure;
  }

  /** Clears the failure after a halted replica has been reopened. */
  void onReopened() {
    failure = null;
  }

  synchronized void watch(MetadataListener listener) {
    listeners.add(listener);
    listener.onChanged(view, view.updatesSince(MetadataView.EMPTY));
  }

  void unwatch(MetadataListener listener) {
    listeners.remove(listener);
  }

  @Override
  public synchronized long appliedIndex() {
    return appliedIndex;
  }

  @Override
  public synchronized void apply(List<CommittedEntry> entries) {
    for (CommittedEntry entry : entries) {
      List<Change> batch = MetadataCodec.decodeBatch(entry.data());
      MetadataView before = view;
      WriteResult result = before.findConflict(batch);
      if (result == null) {
        MetadataView after = before.with(batch);
        result = new WriteResult.Applied(after.version());
        view = after;
        notifyListeners(after.updatesOf(batch, before));
      }
      appliedIndex = entry.index();
      if (entry.proposal() instanceof PendingWrite write) {
        write.complete(result);
      }
    }
    entriesSinceCheckpoint += entries.size();
    if (entriesSinceCheckpoint >= checkpointEveryEntries) {
      entriesSinceCheckpoint = 0;
      onCheckpointDue.run();
    }
  }

  @Override
  public synchronized void onLeaderStart(long term) {
    LOG.info("Became leader of the metadata group term={} version={}", term, view.version());
    listeners.forEach(listener -> listener.onLeaderStart(term));
  }

  @Override
  public synchronized void onLeaderStop() {
    LOG.info("Lost leadership of the metadata group");
    listeners.forEach(MetadataListener::onLeaderStop);
  }

  @Override
  public void checkpoint(CheckpointRequest request) {
    MetadataCodec.Checkpoint now = current();
    disk.execute(
        () -> {
          try {
            storage.save(MetadataCodec.encodeCheckpoint(now));
          } catch (IOException e) {
            LOG.warn("Cannot write the metadata checkpoint; keeping the log", e);
            request.onFailed(e);
            return;
          }
          request.onDurable();
        });
  }

  @Override
  public long export(Path directory) throws IOException {
    MetadataCodec.Checkpoint now = current();
    Files.write(directory.resolve(EXPORT_FILE), MetadataCodec.encodeCheckpoint(now));
    return now.appliedIndex();
  }

  @Override
  public synchronized void install(Path directory) throws IOException {
    byte[] bytes;
    MetadataCodec.Checkpoint snapshot;
    try {
      bytes = Files.readAllBytes(directory.resolve(EXPORT_FILE));
      snapshot = MetadataCodec.decodeCheckpoint(bytes);
    } catch (IOException e) {
      throw new SnapshotRefusedException(
          "cannot install a metadata snapshot: " + e.getMessage(), e);
    }
    storage.save(bytes);
    MetadataView before = view;
    appliedIndex = snapshot.appliedIndex();
    view = snapshot.view();
    LOG.info("Installed a metadata snapshot version={}", view.version());
    notifyListeners(view.updatesSince(before));
  }

  @Override
  public synchronized void onHalted(ConsensusException cause) {
    NewerFormatException newer = NewerFormatException.findIn(cause);
    failure = newer == null ? cause.getMessage() : newer.getMessage();
    if (isLogFailure(cause)) {
      LOG.error("Metadata group halted on this node; reopening it: {}", failure);
    } else {
      LOG.error(
          "Metadata group halted on this node, which no longer serves clients; fix the cause, "
              + "then restart the node: {}",
          failure,
          newer == null ? cause : null);
    }
    listeners.forEach(listener -> listener.onHalted(cause));
  }

  /**
   * Returns whether the log caused the halt. If not, the state in memory may contain half of a
   * change and must no longer be used.
   */
  static boolean isLogFailure(ConsensusException halt) {
    Throwable reason = halt.getCause();
    return !(reason instanceof RuntimeException) && !(reason instanceof Error);
  }

  private synchronized MetadataCodec.Checkpoint current() {
    return new MetadataCodec.Checkpoint(appliedIndex, view);
  }

  private void notifyListeners(List<MetadataUpdate> updates) {
    listeners.forEach(listener -> listener.onChanged(view, updates));
  }
}
