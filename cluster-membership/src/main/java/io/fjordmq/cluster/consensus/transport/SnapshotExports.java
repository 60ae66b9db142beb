package io.fjordmq.cluster.consensus.transport;

import com.alipay.sofa.jraft.rpc.RpcContext;
import com.alipay.sofa.jraft.rpc.RpcProcessor;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileResponse;
import com.google.protobuf.ByteString;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.log.CheckpointRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The snapshots that this node offers to replicas that are too far behind, and the handler that
 * serves them. A fetching node requests the manifest (empty file name) and then the files, part by
 * part. The first request starts the export. While the export runs, responses contain no data, only
 * a counter that grows as long as there is progress.
 *
 * <p>A snapshot that is withdrawn before it is completely fetched is kept for a while: a new offer
 * of the same checkpoint reuses it, so that a failed fetch can resume. While a snapshot is being
 * fetched, the group's log must not be truncated ({@link #preventsTruncation}), because the node
 * that installs it needs the entries after it.
 */
public final class SnapshotExports implements RpcProcessor<GetFileRequest> {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotExports.class);

  /** File name that requests the manifest. */
  static final String MANIFEST = "";

  /** File name of a notice that the snapshot is being installed; it requests no data. */
  static final String INSTALLING = "/installing";

  private static final int FAILED = 1004; // RaftError.EINTERNAL: retry

  private final LongSupplier nanos;
  private final Duration timeout;
  private final Map<Long, OfferedSnapshot> offered = new ConcurrentHashMap<>();

  // Ids must differ between processes of this node, or a fetch could resume with another snapshot.
  private final AtomicLong lastId;
  private final AtomicLong activity = new AtomicLong();

  /** An offered snapshot and its progress; guarded by the enclosing instance. */
  private static final class OfferedSnapshot {
    final long id;
    final GroupId group;
    final SnapshotExport export;
    int readers = 1;
    boolean started;
    long exportedBytes;
    long activity;
    volatile long progressNanos;

    OfferedSnapshot(long id, GroupId group, SnapshotExport export, long nanos) {
      this.id = id;
      this.group = group;
      this.export = export;
      this.progressNanos = nanos;
    }
  }

  /**
   * @param timeout after which a snapshot without progress is abandoned
   * @param firstId first snapshot id; must not have been used by an earlier process of this node
   */
  public SnapshotExports(Duration timeout, LongSupplier nanos, long firstId) {
    this.timeout = timeout;
    this.nanos = nanos;
    this.lastId = new AtomicLong(firstId);
  }

  /**
   * Offers a snapshot of the checkpoint, or reuses an existing one.
   *
   * @param directory parent directory of the snapshot
   * @return the id of the snapshot
   */
  synchronized long offer(
      GroupId group,
      SnapshotExport.Exporter exporter,
      CheckpointRecord checkpoint,
      Path directory) {
    for (OfferedSnapshot snapshot : offered.values()) {
      if (snapshot.group.equals(group) && snapshot.export.checkpoint().equals(checkpoint)) {
        snapshot.readers++;
        return snapshot.id;
      }
    }
    long id = lastId.incrementAndGet();
    Path target = directory.resolve(Long.toString(id));
    SnapshotExport export = new SnapshotExport(exporter, checkpoint, target);
    offered.put(id, new OfferedSnapshot(id, group, export, nanos.getAsLong()));
    return id;
  }

  synchronized void withdraw(long id) {
    OfferedSnapshot snapshot = offered.get(id);
    if (snapshot != null) {
      snapshot.readers--;
      if (snapshot.readers == 0 && (!snapshot.started || snapshot.export.isFullyRead())) {
        remove(snapshot);
      }
    }
  }

  /** Deletes all snapshots of a group whose replica is closing. */
  synchronized void withdrawAll(GroupId group) {
    offered.values().stream()
        .filter(snapshot -> snapshot.group.equals(group))
        .forEach(this::remove);
  }

  /** Deletes snapshots whose fetch was abandoned. Must be called periodically. */
  synchronized void expire() {
    offered.values().stream()
        .filter(snapshot -> snapshot.readers == 0 && !hasProgressed(snapshot))
        .forEach(this::remove);
  }

  private void remove(OfferedSnapshot snapshot) {
    offered.remove(snapshot.id);
    snapshot.export.close();
  }

  /** Returns whether a snapshot of the group is being fetched. */
  public boolean preventsTruncation(GroupId group) {
    return offered.values().stream()
        .anyMatch(
            snapshot ->
                snapshot.group.equals(group) && snapshot.started && hasProgressed(snapshot));
  }

  /**
   * Returns whether export, fetch or installation of the snapshot made progress within the timeout.
   */
  boolean hasProgressed(long id) {
    OfferedSnapshot snapshot = offered.get(id);
    return snapshot != null && hasProgressed(snapshot);
  }

  private boolean hasProgressed(OfferedSnapshot snapshot) {
    return nanos.getAsLong() - snapshot.progressNanos <= timeout.toNanos();
  }

  /** Returns the ids of all snapshots, including those kept for a resumed fetch. */
  Set<Long> ids() {
    return Set.copyOf(offered.keySet());
  }

  @Override
  public String interest() {
    return GetFileRequest.class.getName();
  }

  /** The variant that jraft's interface requires. Exports on a new thread. */
  @Override
  public void handleRequest(RpcContext context, GetFileRequest request) {
    handleRequest(context, request, task -> new Thread(task, "raft-export").start());
  }

  /**
   * Responds to one request.
   *
   * @param threads runs exports
   */
  void handleRequest(RpcContext context, GetFileRequest request, Executor threads) {
    try {
      OfferedSnapshot snapshot = offered.get(request.getReaderId());
      if (snapshot == null) {
        throw new IOException("snapshot " + request.getReaderId() + " is no longer offered");
      }
      context.sendResponse(responseTo(snapshot, request, threads));
    } catch (IOException | RuntimeException e) {
      LOG.warn("Cannot serve a snapshot: {} peer={}", e.toString(), context.getRemoteAddress());
      context.sendResponse(
          ErrorResponse.newBuilder().setErrorCode(FAILED).setErrorMsg(e.toString()).build());
    }
  }

  private GetFileResponse responseTo(
      OfferedSnapshot snapshot, GetFileRequest request, Executor threads) throws IOException {
    if (request.getFilename().equals(INSTALLING)) {
      snapshot.progressNanos = nanos.getAsLong();
      return GetFileResponse.newBuilder().setEof(true).setData(ByteString.EMPTY).build();
    }
    if (request.getFilename().equals(MANIFEST)) {
      startExport(snapshot, threads);
      SnapshotManifest manifest = snapshot.export.manifest();
      return manifest == null ? inProgressResponse(snapshot) : partResponse(manifest.encode());
    }
    byte[] data =
        snapshot.export.read(
            request.getFilename(), request.getOffset(), Math.toIntExact(request.getCount()));
    activity.incrementAndGet();
    snapshot.progressNanos = nanos.getAsLong();
    return partResponse(data);
  }

  private synchronized void startExport(OfferedSnapshot snapshot, Executor threads)
      throws IOException {
    if (snapshot.started) {
      return;
    }
    try {
      threads.execute(snapshot.export::run);
      snapshot.started = true;
      snapshot.progressNanos = nanos.getAsLong();
    } catch (RejectedExecutionException e) {
      throw new IOException("too many snapshots are queued", e);
    }
  }

  /**
   * Returns a response without data. A queued export counts as progressing while any other export
   * or fetch makes progress.
   */
  private synchronized GetFileResponse inProgressResponse(OfferedSnapshot snapshot) {
    long exportedBytes = snapshot.export.exportedBytes();
    if (exportedBytes != snapshot.exportedBytes) {
      snapshot.exportedBytes = exportedBytes;
      activity.incrementAndGet();
    }
    if (snapshot.activity != activity.get()) {
      snapshot.activity = activity.get();
      snapshot.progressNanos = nanos.getAsLong();
    }
    return GetFileResponse.newBuilder()
        .setEof(false)
        .setReadSize(snapshot.activity)
        .setData(ByteString.EMPTY)
        .build();
  }

  private static GetFileResponse partResponse(byte[] data) {
    return GetFileResponse.newBuilder().setEof(false).setData(ByteString.copyFrom(data)).build();
  }
}
