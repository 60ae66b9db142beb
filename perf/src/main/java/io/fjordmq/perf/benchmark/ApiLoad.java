package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.load.ResultMetric;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to the REST API at a steady rate, from several connections with a thread each. An
 * open loop, like the load of messages: each request has a scheduled time, and latency is measured
 * from that time. A connection that is late sends its next requests without a pause. Used once.
 */
final class ApiLoad {
  private static final long MAX_MICROS = TimeUnit.MINUTES.toMicros(1);

  /**
   * What to send.
   *
   * @param connections number of connections; at least 1
   * @param perSecond requests per second on all connections together; at least 1
   */
  record Rate(int connections, int perSecond) {}

  private final ApiEndpoint endpoint;
  private final Rate rate;
  private final LongFunction<String> targets;
  private final Recorder latencies = new Recorder(MAX_MICROS, 3);
  private final LongAdder failures = new LongAdder();
  private final AtomicReference<@Nullable String> firstFailure = new AtomicReference<>();

  /**
   * @param targets returns the path of a request, with the query, by the number of the request
   */
  ApiLoad(ApiEndpoint endpoint, Rate rate, LongFunction<String> targets) {
    this.endpoint = endpoint;
    this.rate = rate;
    this.targets = targets;
  }

  /**
   * Sends requests. Blocks until the last response. Requests that are still due after the measured
   * period are not sent, and lower the measured rate. Any status other than 200 is a fault.
   *
   * @param warmSeconds time before the measured period
   * @param seconds duration of the measured period
   */
  Measurement run(int warmSeconds, int seconds) throws InterruptedException {
    long start = System.nanoTime();
    long countedFrom = start + TimeUnit.SECONDS.toNanos(warmSeconds);
    long end = countedFrom + TimeUnit.SECONDS.toNanos(seconds);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < rate.connections; i++) {
      int connection = i;
      Thread thread = new Thread(() -> send(connection, start, countedFrom, end), "api-load-" + i);
      thread.setDaemon(true); // must not keep the tool running if the benchmark fails
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    Histogram micros = latencies.getIntervalHistogram();
    Measurement measurement =
        new Measurement()
            .put(ResultMetric.REQUESTS, micros.getTotalCount() / (double) seconds)
            .put(ResultMetric.REQUEST_P50_MS, micros.getValueAtPercentile(50) / 1000.0)
            .put(ResultMetric.REQUEST_P99_MS, micros.getValueAtPercentile(99) / 1000.0)
            .put(ResultMetric.REQUEST_MAX_MS, micros.getMaxValue() / 1000.0)
            .faults(ResultMetric.FAILED_REQUESTS, failures.sum());
    String failure = firstFailure.get();
    return failure == null ? measurement : measurement.fault(failure);
  }

  private void send(int first, long start, long countedFrom, long end) {
    try (ApiConnection connection = new ApiConnection(endpoint)) {
      for (long number = first; ; number += rate.connections) {
        long due = start + number * TimeUnit.SECONDS.toNanos(1) / rate.perSecond;
        sleepUntil(due);
        if (due - end >= 0 || System.nanoTime() - end >= 0) {
          return;
        }
        if (succeeds(connection, targets.apply(number)) && due - countedFrom >= 0) {
          long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - due);
          latencies.recordValue(Math.min(MAX_MICROS, micros));
        }
      }
    } catch (IOException e) {
      failed("failed to close a connection: " + e.getMessage());
    }
  }

  private boolean succeeds(ApiConnection connection, String target) {
    try {
      ApiConnection.Reply reply = connection.getPage(target);
      if (reply.isOk()) {
        return true;
      }
      failed("GET " + target + ": expected 200, not " + reply.excerpt());
    } catch (IOException e) {
      failed("GET " + target + ": " + e.getMessage());
    }
    return false;
  }

  private void failed(String reason) {
    failures.increment();
    firstFailure.compareAndSet(null, reason);
  }

  private static void sleepUntil(long nanos) {
    for (long rest = nanos - System.nanoTime(); rest > 0; rest = nanos - System.nanoTime()) {
      LockSupport.parkNanos(rest);
    }
  }
}
