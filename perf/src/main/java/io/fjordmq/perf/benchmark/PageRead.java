package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.load.ResultMetric;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A list or object of the REST API that is read repeatedly. Checks each response.
 *
 * @param name name in reports
 * @param path the request for each repetition, as in {@link ApiConnection#get}
 * @param expected number of elements of each page; 1 for an object
 * @param continues whether to add the cursor of the previous page, except to the first request and
 *     after the last page
 */
record PageRead(String name, IntFunction<String> path, int expected, boolean continues) {
  private static final long MAX_MICROS = TimeUnit.MINUTES.toMicros(1);

  /** A request that does not use cursors. */
  static PageRead of(String name, IntFunction<String> path, int expected) {
    return new PageRead(name, path, expected, false);
  }

  /** Reads a number of times, one after another. Blocks. */
  Measurement measure(ApiConnection connection, int times) throws IOException {
    Histogram micros = new Histogram(MAX_MICROS, 3);
    int partial = 0;
    int wrong = 0;
    String failure = null;
    String cursor = continues ? cursor(connection.require(path.apply(0))) : null;
    for (int i = 0; i < times; i++) {
      String request = path.apply(i) + (cursor == null ? "" : "&cursor=" + cursor);
      long start = System.nanoTime();
      ApiConnection.Reply reply = connection.get(request);
      long elapsed = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start);
      micros.recordValue(Math.min(MAX_MICROS, elapsed));
      JsonNode body = reply.json();
      partial += isPartial(body) ? 1 : 0;
      if (!reply.isOk() || !isExpected(body)) {
        wrong++;
        failure =
            "GET %s: expected 200 and %d elements, not %s"
                .formatted(request, expected, reply.excerpt());
      }
      cursor = continues ? cursor(body) : null;
    }
    Measurement measurement =
        new Measurement()
            .put(ResultMetric.REQUEST_P50_MS, micros.getValueAtPercentile(50) / 1000.0)
            .put(ResultMetric.REQUEST_MAX_MS, micros.getMaxValue() / 1000.0)
            .put(ResultMetric.PARTIAL_PERCENT, 100.0 * partial / times)
            .faults(ResultMetric.FAILED_REQUESTS, wrong);
    return failure == null ? measurement : measurement.fault(failure);
  }

  /** Returns whether the number of elements is right; the last page may have fewer. */
  private boolean isExpected(JsonNode body) {
    boolean mayHaveFewer = isPartial(body) || (continues && cursor(body) == null);
    int elements = body.has("data") ? body.path("data").size() : 1;
    return mayHaveFewer ? elements <= expected : elements == expected;
  }

  private static @Nullable String cursor(JsonNode body) {
    JsonNode cursor = body.path("meta").path("cursor");
    return cursor.isString() ? ApiRequestMix.encoded(cursor.asString()) : null;
  }

  private static boolean isPartial(JsonNode body) {
    return !body.path("meta").path("partial").isEmpty();
  }
}
