package io.fjordmq.cluster.consensus.transport;

import com.google.protobuf.Message;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.TransportSettings;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Worker threads of the transport. They start on demand and end when idle.
 *
 * <p>Snapshots use four separate pools: an installation waits for its fetch, and a fetch waits for
 * another node that exports and serves the snapshot. A single pool could deadlock.
 */
final class RaftWorkers {
  private static final int BULK_THREADS = 2;
  private static final int BULK_QUEUE = 1_024;
  private static final long IDLE_SECONDS = 30;
  private static final long STOP_SECONDS = 10;

  private final List<OrderedWorker> stripes;
  private final ExecutorService installPool;
  private final ExecutorService fetchPool;
  private final ExecutorService servePool;
  private final ExecutorService exportPool;

  RaftWorkers(NodeId self, TransportSettings settings) {
    stripes =
        IntStream.range(0, settings.workers())
            .mapToObj(
                i ->
                    new OrderedWorker(pool("raft-" + i + "-" + self, 1, settings.queuedRequests())))
            .toList();
    installPool = pool("raft-install-" + self, BULK_THREADS, BULK_QUEUE);
    fetchPool = pool("raft-fetch-" + self, BULK_THREADS, BULK_QUEUE);
    servePool = pool("raft-serve-" + self, BULK_THREADS, BULK_QUEUE);
    exportPool = pool("raft-export-" + self, BULK_THREADS, BULK_QUEUE);
  }

  private static ExecutorService pool(String name, int threads, int queue) {
    AtomicInteger number = new AtomicInteger();
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(queue),
            task -> {
              Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  Executor executorFor(RaftMessage type, Message message) {
    return switch (type) {
      case INSTALL_SNAPSHOT -> installPool;
      case GET_FILE -> servePool;
      default -> workerFor(message);
    };
  }

  /** Returns the worker that handles messages with this message's {@link RaftMessage#orderKey}. */
  OrderedWorker workerFor(Message message) {
    return stripes.get(Math.floorMod(RaftMessage.orderKey(message), stripes.size()));
  }

  /** Runs snapshot exports. */
  Executor exportExecutor() {
    return exportPool;
  }

  Executor fetchExecutor() {
    return fetchPool;
  }

  /** Returns the executor for short tasks that need no ordering. */
  Executor unorderedExecutor() {
    return stripes.get(0);
  }

  void close() {
    stripes.forEach(OrderedWorker::shutdown);
    List<ExecutorService> bulk = List.of(installPool, fetchPool, servePool, exportPool);
    bulk.forEach(ExecutorService::shutdownNow);
    stripes.forEach(worker -> join(worker.pool()));
    bulk.forEach(RaftWorkers::join);
  }

  private static void join(ExecutorService pool) {
    try {
      pool.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
