package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.rpc.RpcContext;
import com.alipay.sofa.jraft.rpc.RpcProcessor;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileResponse;
import com.google.protobuf.ByteString;
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
 * part. The first request starts the export. While the export runs, responses contain no data but a
 * counter that grows as long as there is progress.
 *
 * <p>A snapshot that is withdrawn before it is completely fetched is kept for a while: a new offer
 * of the same checkpoint reuses it, so that a failed fetch can resume. While a snapshot is being
 * fetched, the group's log must not be truncated ({@link #holdsLog}), because the node that
 * installs it needs the entries after it.
 */
final class SnapshotExports implements RpcProcessor<GetFileRequest> {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotExports.class);

  /** File name that requests the manifest. */
  static final String MANIFEST = "";

  /** File name that requests nothing: a notice that the snapshot is being installed. */
  static final String INSTALLING = "/installing";

  private static final int FAILED = 1004; // RaftError.EINTERNAL: retry

  private final LongSupplier nanos;
  private final Duration timeout;
  private final Map<Long, Offered> offered = new ConcurrentHashMap<>();

  // Ids must differ between processes of this node, or a fetch could resume with another snapshot.
  private final AtomicLong lastId;
  private final AtomicLong activity = new AtomicLong();

  /** An offered snapshot and its progress; guarded by the enclosing instance. */
  private static final class Offered {
    final long id;
    final GroupId group;
    final SnapshotExport export;
    int readers = 1;
    boolean started;
    long exportedBytes;
    long activity;
    volatile long progressNanos;

    Offered(long id, GroupId group, SnapshotExport export, long nanos) {
      this.id = id;
      this.group = group;
      this.export = export;
      this.progressNanos = nanos;
    }
  }

  /**
   * @param timeout after which a snapshot without progress is given up
   * @param firstId first snapshot id; must not have been used by an earlier process of this node
   */
  SnapshotExports(Duration timeout, LongSupplier nanos, long firstId) {
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
    for (Offered one : offered.values()) {
      if (one.group.equals(group) && one.export.checkpoint().equals(checkpoint)) {
        one.readers++;
        return one.id;
      }
    }
    long id = lastId.incrementAndGet();
    Path place = directory.resolve(Long.toString(id));
    SnapshotExport export = new SnapshotExport(exporter, checkpoint, place);
    offered.put(id, new Offered(id, group, export, nanos.getAsLong()));
    return id;
  }

  synchronized void withdraw(long id) {
    Offered one = offered.get(id);
    if (one != null) {
      one.readers--;
      if (one.readers == 0 && (!one.started || one.export.isServed())) {
        remove(one);
      }
    }
  }

  /** Deletes all snapshots of a group whose replica is closing. */
  synchronized void withdrawAll(GroupId group) {
    offered.values().stream().filter(one -> one.group.equals(group)).forEach(this::remove);
  }

  /** Deletes snapshots whose fetch was abandoned. To be called periodically. */
  synchronized void expire() {
    offered.values().stream()
        .filter(one -> one.readers == 0 && !hasProgressed(one))
        .forEach(this::remove);
  }

  private void remove(Offered one) {
    offered.remove(one.id);
    one.export.close();
  }

  /** Whether a snapshot of the group is being fetched. */
  boolean holdsLog(GroupId group) {
    return offered.values().stream()
        .anyMatch(one -> one.group.equals(group) && one.started && hasProgressed(one));
  }

  /** Whether export, fetch or installation of the snapshot made progress within the timeout. */
  boolean hasProgressed(long id) {
    Offered one = offered.get(id);
    return one != null && hasProgressed(one);
  }

  private boolean hasProgressed(Offered one) {
    return nanos.getAsLong() - one.progressNanos <= timeout.toNanos();
  }

  /** Ids of all snapshots, including those kept for a resumed fetch. */
  Set<Long> ids() {
    return Set.copyOf(offered.keySet());
  }

  @Override
  public String interest() {
    return GetFileRequest.class.getName();
  }

  /** Variant that jraft's interface requires; exports on a new thread. */
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
      Offered one = offered.get(request.getReaderId());
      if (one == null) {
        throw new IOException("snapshot " + request.getReaderId() + " is no longer offered");
      }
      context.sendResponse(answer(one, request, threads));
    } catch (IOException | RuntimeException e) {
      LOG.warn("Cannot serve a snapshot: {} remote={}", e.toString(), context.getRemoteAddress());
      context.sendResponse(
          ErrorResponse.newBuilder().setErrorCode(FAILED).setErrorMsg(e.toString()).build());
    }
  }

  private GetFileResponse answer(Offered one, GetFileRequest request, Executor threads)
      throws IOException {
    if (request.getFilename().equals(INSTALLING)) {
      one.progressNanos = nanos.getAsLong();
      return GetFileResponse.newBuilder().setEof(true).setData(ByteString.EMPTY).build();
    }
    if (request.getFilename().equals(MANIFEST)) {
      begin(one, threads);
      SnapshotManifest manifest = one.export.manifest();
      return manifest == null ? inProgress(one) : part(manifest.encode());
    }
    byte[] data =
        one.export.read(
            request.getFilename(), request.getOffset(), Math.toIntExact(request.getCount()));
    activity.incrementAndGet();
    one.progressNanos = nanos.getAsLong();
    return part(data);
  }

  private synchronized void begin(Offered one, Executor threads) throws IOException {
    if (one.started) {
      return;
    }
    try {
      threads.execute(one.export::run);
      one.started = true;
      one.progressNanos = nanos.getAsLong();
    } catch (RejectedExecutionException e) {
      throw new IOException("too many snapshots are queued", e);
    }
  }

  /** A queued export counts as progressing while any other export or fetch makes progress. */
  private synchronized GetFileResponse inProgress(Offered one) {
    long exportedBytes = one.export.exportedBytes();
    if (exportedBytes != one.exportedBytes) {
      one.exportedBytes = exportedBytes;
      activity.incrementAndGet();
    }
    if (one.activity != activity.get()) {
      one.activity = activity.get();
      one.progressNanos = nanos.getAsLong();
    }
    return GetFileResponse.newBuilder()
        .setEof(false)
        .setReadSize(one.activity)
        .setData(ByteString.EMPTY)
        .build();
  }

  private static GetFileResponse part(byte[] data) {
    return GetFileResponse.newBuilder().setEof(false).setData(ByteString.copyFrom(data)).build();
  }
}
