package io.fjordmq.cluster.consensus.transport;

import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileResponse;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotCopier;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import io.fjordmq.cluster.consensus.TransportSettings;
import io.fjordmq.cluster.consensus.transport.SnapshotManifest.FileSize;
import io.fjordmq.common.MalformedBytesException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches a snapshot from another node, several parts at a time, and syncs it. The total time is
 * not limited, but the fetch fails after {@link TransportSettings#snapshotTimeout} without
 * progress. Failures are reported to jraft as temporary: the leader offers the snapshot again, and
 * the fetch resumes with the files that are already present.
 */
public final class SnapshotFetch extends SnapshotCopier {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotFetch.class);

  /** Maximum number of parts in flight. */
  private static final int MAX_PARTS_IN_FLIGHT = 4;

  private static final long PAUSE_MILLIS = 200;

  private final String offer;
  private final long readerId;
  private final Path directory;
  private final SnapshotSource source;
  private final SnapshotSpace space;
  private final TransportSettings settings;
  private final Clock clock;
  private final Executor threads;
  private final Listener listener;
  private final CountDownLatch done = new CountDownLatch(1);
  private volatile boolean canceled;
  private volatile @Nullable FetchedSnapshot fetched;
  private long progressNanos;

  /** Time source, replaceable in tests. */
  interface Clock {
    long nanos();

    void pause(long millis) throws InterruptedException;

    /** The system clock. */
    Clock SYSTEM =
        new Clock() {
          @Override
          public long nanos() {
            return System.nanoTime();
          }

          @Override
          public void pause(long millis) throws InterruptedException {
            TimeUnit.MILLISECONDS.sleep(millis);
          }
        };
  }

  /** Receives the outcome of a fetch that has started, on the thread of the fetch. */
  public interface Listener {
    /** Ignores the outcome. */
    Listener NONE =
        new Listener() {
          @Override
          public void onFetched(long bytes, long nanos) {}

          @Override
          public void onFailed() {}
        };

    /**
     * @param bytes size of the snapshot without the parts that an earlier fetch had received
     * @param nanos duration of this fetch
     */
    void onFetched(long bytes, long nanos);

    void onFailed();
  }

  /** A requested part. */
  private record PendingPart(long offset, int count, CompletableFuture<GetFileResponse> response) {}

  /**
   * @param offer identifies the snapshot among those of all nodes
   * @param readerId identifies the snapshot at its source
   * @param directory target directory, not used by any other fetch
   */
  SnapshotFetch(
      String offer,
      long readerId,
      Path directory,
      SnapshotSource source,
      SnapshotSpace space,
      TransportSettings settings,
      Clock clock,
      Executor threads,
      Listener listener) {
    this.offer = offer;
    this.readerId = readerId;
    this.directory = directory;
    this.source = source;
    this.space = space;
    this.settings = settings;
    this.clock = clock;
    this.threads = threads;
    this.listener = listener;
  }

  @Override
  public void start() {
    String refusal = space.recentRefusal(directory);
    if (refusal != null) {
      setError(RaftError.EINTERNAL, refusal);
      done.countDown();
      return;
    }
    try {
      threads.execute(this::run);
    } catch (RejectedExecutionException e) {
      setError(RaftError.EINTERNAL, "too many snapshot fetches are queued");
      done.countDown();
    }
  }

  private void run() {
    try {
      fetched = fetch();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      setError(RaftError.ECANCELED, "snapshot fetch interrupted: this node is closing");
    } catch (IOException | MalformedBytesException e) {
      listener.onFailed();
      LOG.warn("Snapshot fetch failed; resuming with the next offer: {} offer={}", e, offer);
      setError(RaftError.EINTERNAL, "cannot fetch snapshot %s: %s", offer, e);
    } finally {
      done.countDown();
    }
  }

  private FetchedSnapshot fetch() throws IOException, InterruptedException {
    final long begin = clock.nanos();
    progressNanos = begin;
    SnapshotManifest manifest = manifest();
    PartialSnapshot snapshot = PartialSnapshot.open(directory, offer, manifest);
    final long keptBytes = snapshot.keptBytes();
    space.require(directory, snapshot.totalBytes(), keptBytes);
    if (keptBytes > 0) {
      LOG.info(
          "Resuming a snapshot fetch fetched={} total={} offer={}",
          keptBytes,
          snapshot.totalBytes(),
          offer);
    }
    for (FileSize file : manifest.files()) {
      fetch(snapshot, file);
    }
    FetchedSnapshot complete = snapshot.complete();
    listener.onFetched(snapshot.totalBytes() - keptBytes, clock.nanos() - begin);
    return complete;
  }

  /** Polls until the manifest is ready; the other node may still be exporting the snapshot. */
  private SnapshotManifest manifest() throws IOException, InterruptedException {
    long exported = -1;
    while (true) {
      GetFileResponse response = await(requestPart(SnapshotExports.MANIFEST, 0, 0));
      if (response != null && !response.getData().isEmpty()) {
        progressNanos = clock.nanos();
        return SnapshotManifest.decode(response.getData().toByteArray());
      } else if (response != null && response.getReadSize() != exported) {
        exported = response.getReadSize();
        progressNanos = clock.nanos();
      }
      pause();
    }
  }

  private void fetch(PartialSnapshot snapshot, FileSize file)
      throws IOException, InterruptedException {
    try (FileChannel out = snapshot.append(file)) {
      Deque<PendingPart> pending = new ArrayDeque<>();
      long next = out.position();
      while (out.position() < file.size()) {
        while (pending.size() < MAX_PARTS_IN_FLIGHT && next < file.size()) {
          int count = (int) Math.min(settings.snapshotChunkBytes(), file.size() - next);
          pending.add(new PendingPart(next, count, requestPart(file.name(), next, count)));
          next += count;
        }
        PendingPart first = pending.remove();
        GetFileResponse part = await(first.response());
        if (part == null) { // later parts may be lost as well
          pending.clear();
          next = out.position();
          pause();
        } else {
          write(out, file, first, part);
        }
      }
      out.force(true);
    }
  }

  private void write(FileChannel out, FileSize file, PendingPart requested, GetFileResponse part)
      throws IOException {
    if (part.getData().size() != requested.count()) {
      throw new SnapshotGoneException(
          "unexpected size of a part of %s: %d bytes at offset %d instead of %d"
              .formatted(
                  file.name(), part.getData().size(), requested.offset(), requested.count()));
    }
    ByteBuffer bytes = part.getData().asReadOnlyByteBuffer();
    while (bytes.hasRemaining()) {
      out.write(bytes);
    }
    progressNanos = clock.nanos();
  }

  private CompletableFuture<GetFileResponse> requestPart(String file, long offset, int count) {
    return source.request(
        GetFileRequest.newBuilder()
            .setReaderId(readerId)
            .setFilename(file)
            .setOffset(offset)
            .setCount(count)
            .build());
  }

  /** Returns null if the request failed and may be retried. */
  private @Nullable GetFileResponse await(CompletableFuture<GetFileResponse> response)
      throws IOException, InterruptedException {
    if (canceled) {
      throw new IOException("a newer snapshot is offered");
    }
    try {
      return response.get(settings.snapshotTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SnapshotGoneException gone) {
        throw gone;
      }
      LOG.debug("Retrying a snapshot part: {} offer={}", e.toString(), offer);
    } catch (TimeoutException e) {
      LOG.debug("Retrying a snapshot part: no response offer={}", offer);
    }
    return null;
  }

  private void pause() throws IOException, InterruptedException {
    if (clock.nanos() - progressNanos > settings.snapshotTimeout().toNanos()) {
      throw new IOException(
          "no progress for %d ms, the limit set by raftPortConfig.snapshotTimeout"
              .formatted(settings.snapshotTimeout().toMillis()));
    }
    clock.pause(PAUSE_MILLIS);
  }

  @Override
  public void cancel() {
    canceled = true;
  }

  @Override
  public void join() throws InterruptedException {
    done.await();
  }

  @Override
  public @Nullable SnapshotReader getReader() {
    return fetched;
  }

  @Override
  public void close() throws IOException {
    try {
      join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while fetching a snapshot", e);
    }
  }
}
