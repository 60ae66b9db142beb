package io.fjordmq.broker.backup;

import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.RangeExport;
import io.fjordmq.range.store.RangeExports;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads ranges of this node for backups of this and other nodes. An export that is not read for a
 * minute is closed, because it keeps overwritten rows on the disk. Thread-safe; does not block.
 */
final class RangeSource implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RangeSource.class);

  /** The name of the service between nodes. */
  static final String SERVICE = "backup";

  /** Size of the rows of one response, unless a single row is larger. */
  private static final int BLOCK_BYTES = 256 << 10;

  private static final int MAX_EXPORTS = 8;
  private static final int MAX_WAITING = 32;
  private static final long MAX_IDLE_SECONDS = 60;

  private final RangeExports exports;
  private final Map<Long, Open> open = new ConcurrentHashMap<>();
  private final AtomicLong lastExport = new AtomicLong();
  private final ThreadPoolExecutor reader;

  private static final class Open {
    private final RangeExport export;
    private volatile long usedNanos = System.nanoTime();

    Open(RangeExport export) {
      this.export = export;
    }

    boolean isIdle() {
      return System.nanoTime() - usedNanos >= TimeUnit.SECONDS.toNanos(MAX_IDLE_SECONDS);
    }
  }

  RangeSource(RangeExports exports) {
    this.exports = exports;
    this.reader =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            task -> new Thread(task, "backup-reader"));
    reader.allowCoreThreadTimeOut(true);
  }

  /** Starts responding to other nodes. */
  void serve(PeerServices peers) {
    peers.serve(SERVICE, (from, request) -> respond(request));
  }

  private CompletableFuture<byte[]> respond(byte[] request) {
    try {
      BackupCall call = BackupCall.decode(request);
      if (call instanceof BackupCall.Open opening) {
        return open(opening.range()).thenApply(BackupCall.Open::encodeResponse);
      } else if (call instanceof BackupCall.Read read) {
        return read(read.export()).thenApply(BackupCall.Read::encodeResponse);
      }
      close(((BackupCall.Close) call).export());
      return CompletableFuture.completedFuture(BackupCall.Close.encodeResponse());
    } catch (MalformedBytesException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Returns whether the range has a replica on this node. */
  boolean has(RangeId range) {
    return exports.has(range);
  }

  /** Opens the data of a range, with everything that was committed before this call. */
  CompletableFuture<ExportedRange> open(RangeId range) {
    if (open.size() >= MAX_EXPORTS) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("too many backups are reading ranges of this node"));
    }
    return exports
        .open(range)
        .thenApply(
            export -> {
              long number = lastExport.incrementAndGet();
              open.put(number, new Open(export));
              closeIfIdle(number);
              return new ExportedRange(number, export.descriptor(), export.appliedIndex());
            });
  }

  private void closeIfIdle(long number) {
    CompletableFuture.delayedExecutor(MAX_IDLE_SECONDS, TimeUnit.SECONDS)
        .execute(
            () -> {
              Open opened = open.get(number);
              if (opened != null && opened.isIdle()) {
                LOG.info("Closing an abandoned range export number={}", number);
                close(number);
              } else if (opened != null) {
                closeIfIdle(number);
              }
            });
  }

  /** Reads the next rows of an export. */
  CompletableFuture<RowBlock> read(long number) {
    try {
      return CompletableFuture.supplyAsync(() -> readNow(number), reader);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("too many backups are reading ranges of this node", e));
    }
  }

  private RowBlock readNow(long number) {
    Open opened = open.get(number);
    if (opened == null) {
      throw new IllegalStateException("the export was closed because it was not read for a minute");
    }
    opened.usedNanos = System.nanoTime();
    ByteWriter rows = new ByteWriter(BLOCK_BYTES + (BLOCK_BYTES >> 3));
    try {
      boolean hasMore =
          opened.export.read(BLOCK_BYTES, (key, value) -> RowBlock.append(rows, key, value));
      return new RowBlock(rows.toByteArray(), hasMore);
    } catch (IOException e) {
      throw new CompletionException(e);
    } finally {
      opened.usedNanos = System.nanoTime();
    }
  }

  /** Closes an export; does nothing if it is closed already. */
  void close(long number) {
    Open closing = open.remove(number);
    if (closing != null) {
      closing.export.close();
    }
  }

  @Override
  public void close() {
    reader.shutdown();
    open.keySet().forEach(this::close);
  }
}
