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
 * The copies this node offers to replicas that are too far behind, and the handler that serves
 * them. Who fetches asks for the manifest (no file name) and then for the files, part by part; the
 * copy is made at the first of these. While it is being made the answer has no data, but a number
 * that grows as long as work gets on.
 *
 * <p>A copy that was withdrawn before all of it was fetched stays for a while: an offer of the same
 * checkpoint is the same copy again, so that a fetch that broke goes on where it was. As long as a
 * copy is being fetched the group's log must not be truncated ({@link #holdsLog}): the node that
 * installs the copy needs the entries after it.
 */
final class SnapshotExports implements RpcProcessor<GetFileRequest> {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotExports.class);

  /** File name that stands for the manifest. */
  static final String MANIFEST = "";

  /** File name that stands for nothing: the copy is being installed. */
  static final String INSTALLING = "/installing";

  private static final int FAILED = 1004; // RaftError.EINTERNAL: try again

  private final LongSupplier nanos;
  private final Duration patience;
  private final Map<Long, Offered> offered = new ConcurrentHashMap<>();

  // Ids of different lives of this node must differ, or a fetch would go on with another copy.
  private final AtomicLong lastId;
  private final AtomicLong activity = new AtomicLong();

  /** A copy and who wants it; guarded by this. */
  private static final class Offered {
    final long id;
    final GroupId group;
    final SnapshotExport export;
    int readers = 1;
    boolean begun;
    long made;
    long activity;
    volatile long movedNanos;

    Offered(long id, GroupId group, SnapshotExport export, long nanos) {
      this.id = id;
      this.group = group;
      this.export = export;
      this.movedNanos = nanos;
    }
  }

  /**
   * @param patience after which a copy that does not get on is given up
   * @param firstId of the copies; not to be used by an earlier process of this node
   */
  SnapshotExports(Duration patience, LongSupplier nanos, long firstId) {
    this.patience = patience;
    this.nanos = nanos;
    this.lastId = new AtomicLong(firstId);
  }

  /**
   * @param directory below which the copy is made
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
      if (one.readers == 0 && (!one.begun || one.export.isServed())) {
        remove(one);
      }
    }
  }

  /** The replica closes: nobody can go on with its copies. */
  synchronized void withdrawAll(GroupId group) {
    offered.values().stream().filter(one -> one.group.equals(group)).forEach(this::remove);
  }

  /** Removes copies that nobody goes on with. To be called from time to time; deletes files. */
  synchronized void expire() {
    offered.values().stream()
        .filter(one -> one.readers == 0 && !hasMoved(one))
        .forEach(this::remove);
  }

  private void remove(Offered one) {
    offered.remove(one.id);
    one.export.close();
  }

  /** Whether a copy of the group is being fetched. */
  boolean holdsLog(GroupId group) {
    return offered.values().stream()
        .anyMatch(one -> one.group.equals(group) && one.begun && hasMoved(one));
  }

  /** Whether the copy was made, fetched or installed a bit further a short while ago. */
  boolean hasMoved(long id) {
    Offered one = offered.get(id);
    return one != null && hasMoved(one);
  }

  private boolean hasMoved(Offered one) {
    return nanos.getAsLong() - one.movedNanos <= patience.toNanos();
  }

  /** The copies there are, those that wait for another fetch among them. */
  Set<Long> ids() {
    return Set.copyOf(offered.keySet());
  }

  @Override
  public String interest() {
    return GetFileRequest.class.getName();
  }

  /** jraft's way to call it, which knows of no thread for long work. */
  @Override
  public void handleRequest(RpcContext context, GetFileRequest request) {
    handleRequest(context, request, task -> new Thread(task, "raft-export").start());
  }

  /**
   * @param threads make copies
   */
  void handleRequest(RpcContext context, GetFileRequest request, Executor threads) {
    try {
      Offered one = offered.get(request.getReaderId());
      if (one == null) {
        throw new IOException("copy " + request.getReaderId() + " is not offered any more");
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
      one.movedNanos = nanos.getAsLong();
      return GetFileResponse.newBuilder().setEof(true).setData(ByteString.EMPTY).build();
    }
    if (request.getFilename().equals(MANIFEST)) {
      begin(one, threads);
      SnapshotManifest manifest = one.export.manifest();
      return manifest == null ? underWay(one) : part(manifest.encode());
    }
    byte[] data =
        one.export.read(
            request.getFilename(), request.getOffset(), Math.toIntExact(request.getCount()));
    activity.incrementAndGet();
    one.movedNanos = nanos.getAsLong();
    return part(data);
  }

  private synchronized void begin(Offered one, Executor threads) throws IOException {
    if (one.begun) {
      return;
    }
    try {
      threads.execute(one.export::run);
      one.begun = true;
      one.movedNanos = nanos.getAsLong();
    } catch (RejectedExecutionException e) {
      throw new IOException("too many snapshots are queued", e);
    }
  }

  /** Those that wait for others to be made get on when those do. */
  private synchronized GetFileResponse underWay(Offered one) {
    long made = one.export.madeBytes();
    if (made != one.made) {
      one.made = made;
      activity.incrementAndGet();
    }
    if (one.activity != activity.get()) {
      one.activity = activity.get();
      one.movedNanos = nanos.getAsLong();
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
