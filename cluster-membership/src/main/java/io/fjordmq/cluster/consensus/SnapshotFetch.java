package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileResponse;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotCopier;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.google.protobuf.Message;
import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.SnapshotManifest.FileSize;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches a copy that another node offers, part by part, and puts it on the medium. A failure is
 * reported as one that may pass: the leader offers again.
 */
final class SnapshotFetch extends SnapshotCopier {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotFetch.class);

  private final NodeId source;
  private final long offer;
  private final Path directory;
  private final RaftTransport transport;
  private final CountDownLatch done = new CountDownLatch(1);
  private volatile boolean cancelled;
  private volatile @Nullable FetchedSnapshot fetched;

  SnapshotFetch(NodeId source, long offer, Path directory, RaftTransport transport) {
    this.source = source;
    this.offer = offer;
    this.directory = directory;
    this.transport = transport;
  }

  @Override
  public void start() {
    try {
      transport.workers().fetching().execute(this::run);
    } catch (RejectedExecutionException e) {
      setError(RaftError.EINTERNAL, "too many copies wait to be fetched");
      done.countDown();
    }
  }

  private void run() {
    try {
      fetched = fetch();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      setError(RaftError.ECANCELED, "this node is closing");
    } catch (IOException | MalformedBytesException e) {
      LOG.warn("cannot fetch a copy from {}: {}", source, e.toString());
      setError(RaftError.EINTERNAL, "cannot fetch a copy from %s: %s", source, e);
    } finally {
      done.countDown();
    }
  }

  private FetchedSnapshot fetch() throws IOException, InterruptedException {
    Directories.deleteRecursively(directory);
    Files.createDirectories(directory);
    SnapshotManifest manifest =
        SnapshotManifest.decode(part(SnapshotExports.MANIFEST, 0, 0).getData().toByteArray());
    for (FileSize file : manifest.files()) {
      fetch(file);
    }
    Directories.sync(directory);
    return new FetchedSnapshot(manifest, directory);
  }

  private void fetch(FileSize file) throws IOException, InterruptedException {
    Path target = directory.resolve(file.name()).normalize();
    if (!target.startsWith(directory)) {
      throw new IOException("the copy names a file outside of it: " + file.name());
    }
    Files.createDirectories(target.getParent());
    try (FileChannel out =
        FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      while (out.position() < file.size()) {
        int count = transport.settings().snapshotChunkBytes();
        GetFileResponse part = part(file.name(), out.position(), count);
        if (part.getData().isEmpty()) {
          throw new IOException(file.name() + " ended at " + out.position());
        }
        out.write(part.getData().asReadOnlyByteBuffer());
      }
      out.force(true);
    }
  }

  private GetFileResponse part(String file, long offset, int count)
      throws IOException, InterruptedException {
    if (cancelled) {
      throw new IOException("a newer copy is offered");
    }
    GetFileRequest request =
        GetFileRequest.newBuilder()
            .setReaderId(offer)
            .setFilename(file)
            .setOffset(offset)
            .setCount(count)
            .build();
    CompletableFuture<Message> answer = new CompletableFuture<>();
    long timeout = transport.settings().snapshotTimeout().toMillis();
    transport.ask(
        source,
        request,
        timeout,
        (response, failure) -> {
          if (response != null) {
            answer.complete(response);
          } else {
            answer.completeExceptionally(failure == null ? new IOException() : failure);
          }
        });
    try {
      Message response = answer.get(timeout, TimeUnit.MILLISECONDS);
      if (response instanceof ErrorResponse error) {
        throw new IOException(error.getErrorMsg());
      }
      return (GetFileResponse) response;
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void cancel() {
    cancelled = true;
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
      throw new IOException("interrupted", e);
    }
  }
}
