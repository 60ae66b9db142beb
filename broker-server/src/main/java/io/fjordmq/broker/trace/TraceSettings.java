package io.fjordmq.broker.trace;

import java.time.Duration;

/**
 * Limits for traces of clients, topics and addresses.
 *
 * @param maxTraces maximum number of traces in the cluster, including stopped ones; 0 to allow none
 * @param maxTracesPerTenant maximum number that callers bound to a tenant can create for it, so
 *     that some are left for others
 * @param maxDuration maximum duration of a trace
 * @param retention how long stopped traces and their files are kept
 * @param maxFileBytes maximum size of the file of a trace on each node, in bytes
 * @param maxPayloadBytes maximum number of bytes of a payload that a trace shows
 */
public record TraceSettings(
    int maxTraces,
    int maxTracesPerTenant,
    Duration maxDuration,
    Duration retention,
    int maxFileBytes,
    int maxPayloadBytes) {

  private static final int MAX_TRACES = 100;
  private static final Duration MAX_TIME = Duration.ofDays(365);
  private static final int MIN_FILE_BYTES = 64 << 10;
  private static final int MAX_FILE_BYTES = 1 << 30;
  private static final int MAX_PAYLOAD_BYTES = 64 << 10;

  /** The defaults; after the constants that the constructor uses. */
  public static final TraceSettings DEFAULTS =
      new TraceSettings(30, 5, Duration.ofDays(1), Duration.ofDays(3), 32 << 20, 1_024);

  /**
   * @throws IllegalArgumentException if a value is invalid; the message begins with the name of the
   *     setting
   */
  public TraceSettings {
    requireBetween("maxTraces", maxTraces, 0, MAX_TRACES);
    requireBetween("maxTracesPerTenant", maxTracesPerTenant, 0, MAX_TRACES);
    requireTime("maxDuration", maxDuration);
    requireTime("retention", retention);
    requireBetween("maxFileBytes", maxFileBytes, MIN_FILE_BYTES, MAX_FILE_BYTES);
    requireBetween("maxPayloadBytes", maxPayloadBytes, 0, MAX_PAYLOAD_BYTES);
  }

  private static void requireBetween(String name, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be between " + min + " and " + max + ", not " + value);
    }
  }

  private static void requireTime(String name, Duration time) {
    if (time.compareTo(Duration.ofSeconds(1)) < 0 || time.compareTo(MAX_TIME) > 0) {
      throw new IllegalArgumentException(
          name + " must be between 1 s and 365 days, not " + time.toSeconds() + " s");
    }
  }
}
