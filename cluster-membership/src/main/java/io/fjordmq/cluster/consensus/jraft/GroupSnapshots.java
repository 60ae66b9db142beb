package io.fjordmq.cluster.consensus.jraft;

import com.alipay.sofa.jraft.option.SnapshotCopierOptions;
import com.alipay.sofa.jraft.storage.SnapshotStorage;
import com.alipay.sofa.jraft.storage.SnapshotThrottle;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotCopier;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import io.fjordmq.cluster.UseGate;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusObserver.SnapshotStep;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.ReplicatedState;
import io.fjordmq.cluster.consensus.SnapshotRefusedException;
import io.fjordmq.cluster.consensus.log.CheckpointRecord;
import io.fjordmq.cluster.consensus.log.GroupRecord;
import io.fjordmq.cluster.consensus.log.InstallRecord;
import io.fjordmq.cluster.consensus.log.LogKeys;
import io.fjordmq.cluster.consensus.log.SharedLog;
import io.fjordmq.cluster.consensus.log.SnapshotDirectories;
import io.fjordmq.cluster.consensus.transport.FetchedSnapshot;
import io.fjordmq.cluster.consensus.transport.InstallNotice;
import io.fjordmq.cluster.consensus.transport.SnapshotExchange;
import io.fjordmq.cluster.consensus.transport.SnapshotFetch;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Metadata-only snapshots of one replica. Saving one writes only a {@link CheckpointRecord},
 * because the state is durable in its own database. The leader exports an actual snapshot on
 * demand, when a replica is too far behind for the log.
 */
final class GroupSnapshots implements SnapshotStorage {
  private static final Logger LOG = LoggerFactory.getLogger(GroupSnapshots.class);

  private final GroupId id;
  private final long group;
  private final SharedLog shared;
  private final ReplicatedState state;
  private final SnapshotExchange exchange;
  private final ConsensusObserver observer;
  private final UseGate exportGate = new UseGate();
  private volatile @Nullable CheckpointRecord checkpoint;

  GroupSnapshots(
      GroupId id,
      GroupRecord record,
      SharedLog shared,
      ReplicatedState state,
      SnapshotExchange exchange,
      ConsensusObserver observer)
      throws RocksDBException {
    this.id = id;
    this.group = record.number();
    this.shared = shared;
    this.state = state;
    this.exchange = exchange;
    this.observer = observer;
    byte[] saved = shared.getRaft(LogKeys.checkpoint(group));
    checkpoint = saved == null ? null : CheckpointRecord.decode(saved);
  }

  @Nullable CheckpointRecord checkpoint() {
    return checkpoint;
  }

  /** Returns the index covered by the last checkpoint; 0 if there is none. */
  long coveredIndex() {
    CheckpointRecord last = checkpoint;
    return last == null ? 0 : last.meta().getLastIncludedIndex();
  }

  /** Writes the record with a sync, because jraft truncates the log right after this call. */
  boolean save(CheckpointRecord record) {
    try (SharedLog.Batch batch = shared.batch()) {
      batch.put(LogKeys.checkpoint(group), record.encode()).commit(true);
      checkpoint = record;
      return true;
    } catch (RocksDBException e) {
      LOG.error("Cannot save a checkpoint group={}", id, e);
      return false;
    }
  }

  /**
   * Replaces the state with a fetched snapshot. If the process crashes before this method returns,
   * {@link #resumeInstall} repeats the installation.
   *
   * @return last index that the state includes now
   */
  long install(FetchedSnapshot snapshot) throws IOException, RocksDBException {
    InstallRecord record =
        new InstallRecord(snapshot.directory().getFileName().toString(), snapshot.checkpoint());
    try (SharedLog.Batch batch = shared.batch()) {
      batch.put(LogKeys.install(group), record.encode()).commit(true);
    }
    InstallNotice notice = exchange.announceInstall(snapshot.offerUri());
    try {
      return install(record);
    } finally {
      notice.close();
    }
  }

  /**
   * Repeats an installation that a crash interrupted. Must be called before the replica starts.
   *
   * @param applied applied index that the state reports
   * @return applied index after the installation
   */
  long resumeInstall(long applied) throws IOException, RocksDBException {
    byte[] interrupted = shared.getRaft(LogKeys.install(group));
    if (interrupted == null) {
      return applied;
    }
    LOG.info("Retrying an interrupted snapshot installation group={}", id);
    try {
      return install(InstallRecord.decode(interrupted));
    } catch (SnapshotRefusedException e) {
      LOG.info("Discarding an interrupted snapshot installation: {} group={}", e.getMessage(), id);
      return applied;
    }
  }

  private long install(InstallRecord record) throws IOException, RocksDBException {
    Path directory = exchange.incoming().resolve(record.directory());
    final long bytes = SnapshotDirectories.size(directory);
    final long begin = System.nanoTime();
    try {
      state.install(directory);
    } catch (SnapshotRefusedException e) {
      observer.onSnapshotFailed(id, SnapshotStep.INSTALL);
      discard(directory);
      throw e;
    } catch (IOException e) {
      observer.onSnapshotFailed(id, SnapshotStep.INSTALL);
      throw e;
    }
    CheckpointRecord installed = record.checkpoint();
    try (SharedLog.Batch batch = shared.batch()) {
      batch.put(LogKeys.checkpoint(group), installed.encode());
      batch.delete(LogKeys.install(group)).commit(true);
    }
    checkpoint = installed;
    observer.onSnapshot(id, SnapshotStep.INSTALL, bytes, System.nanoTime() - begin);
    SnapshotDirectories.deleteQuietly(directory);
    LOG.info("Installed a snapshot group={} index={}", id, installed.applied());
    return installed.applied();
  }

  /**
   * Discards a refused snapshot. Otherwise every start would try to install it again and be
   * refused.
   */
  private void discard(Path directory) throws RocksDBException {
    try (SharedLog.Batch batch = shared.batch()) {
      batch.delete(LogKeys.install(group)).commit(true);
    }
    SnapshotDirectories.deleteQuietly(directory);
  }

  private long export(Path directory) throws IOException {
    if (!exportGate.enter()) {
      throw new IOException("cannot export a snapshot: the replica of group " + id + " is closed");
    }
    long begin = System.nanoTime();
    try {
      long applied = state.export(directory);
      long nanos = System.nanoTime() - begin;
      observer.onSnapshot(id, SnapshotStep.EXPORT, SnapshotDirectories.size(directory), nanos);
      return applied;
    } catch (IOException | RuntimeException e) {
      observer.onSnapshotFailed(id, SnapshotStep.EXPORT);
      throw e;
    } finally {
      exportGate.leave();
    }
  }

  /**
   * Returns whether the log must not be truncated because a snapshot being fetched needs later
   * entries.
   */
  boolean preventsTruncation() {
    return exchange.exports().preventsTruncation(id);
  }

  /** Rejects later exports, and waits for a running one to finish, up to the timeout. */
  void close(Duration timeout) {
    exchange.withdrawAll(id);
    if (!exportGate.shut(timeout)) {
      LOG.warn(
          "Closing a group with snapshot exports still running after {} s; the disk may be stuck"
              + " group={} exports={}",
          timeout.toSeconds(),
          id,
          exportGate.threadsInside());
    }
  }

  @Override
  public boolean init(@Nullable Void nothing) {
    return true;
  }

  @Override
  public void shutdown() {}

  @Override
  public boolean setFilterBeforeCopyRemote() {
    return false;
  }

  @Override
  public void setSnapshotThrottle(SnapshotThrottle throttle) {}

  @Override
  public SnapshotWriter create() {
    return new CheckpointWriter(this);
  }

  @Override
  public @Nullable SnapshotReader open() {
    CheckpointRecord last = checkpoint;
    return last == null ? null : new CheckpointReader(id, last, exchange, this::export);
  }

  @Override
  public @Nullable SnapshotReader copyFrom(String uri, SnapshotCopierOptions options) {
    throw new UnsupportedOperationException("use startToCopyFrom");
  }

  @Override
  public @Nullable SnapshotCopier startToCopyFrom(String uri, SnapshotCopierOptions options) {
    SnapshotFetch fetch = exchange.fetch(uri, Long.toString(group), fetchListener());
    if (fetch != null) {
      fetch.start();
    }
    return fetch;
  }

  private SnapshotFetch.Listener fetchListener() {
    return new SnapshotFetch.Listener() {
      @Override
      public void onFetched(long bytes, long nanos) {
        observer.onSnapshot(id, SnapshotStep.FETCH, bytes, nanos);
      }

      @Override
      public void onFailed() {
        observer.onSnapshotFailed(id, SnapshotStep.FETCH);
      }
    };
  }

  @Override
  public String toString() {
    return "checkpoint of " + id;
  }
}
