package io.fjordmq.broker.trace;

import java.time.Instant;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The definition of a trace. Immutable. Names are unique among the traces of a tenant, and among
 * those of all tenants.
 *
 * @param value the client identifier, topic filter, or IP address or network in canonical notation
 * @param tenant the only tenant whose clients and messages are traced; null for all tenants
 * @param by who created the trace
 * @param createdAt when the trace was created, in cluster time
 * @param startAt when tracing starts, in cluster time
 * @param endAt when tracing ends, exclusive, in cluster time
 * @param format how lines are written
 */
public record Trace(
    String name,
    TraceType type,
    String value,
    @Nullable String tenant,
    PayloadEncoding payload,
    String by,
    Instant createdAt,
    Instant startAt,
    Instant endAt,
    TraceFormat format) {
  /** Names of files as {@link #fileName} returns them. */
  static final Pattern FILE_NAME =
      Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}(-[0-9a-f]{32})?-[0-9]{1,18}");

  /** Whether the trace is in progress. */
  public enum Status {
    /** The trace has not started yet. */
    WAITING,
    /** The trace is in progress. */
    RUNNING,
    /** The trace has ended; its files can still be read. */
    STOPPED;

    /** The name of the status for operators. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Returns whether the trace is in progress at this cluster time. */
  public Status status(Instant now) {
    if (!now.isBefore(endAt)) {
      return Status.STOPPED;
    }
    return now.isBefore(startAt) ? Status.WAITING : Status.RUNNING;
  }

  /**
   * The name of the trace's file on every node. A later trace with the same name has another, and
   * so does one of another tenant.
   */
  String fileName() {
    String owner = tenant == null ? "" : "-" + StoredTrace.hash(tenant);
    return name + owner + "-" + createdAt.toEpochMilli();
  }

  /** Returns a copy that ends at this time. */
  Trace endingAt(Instant end) {
    return new Trace(name, type, value, tenant, payload, by, createdAt, startAt, end, format);
  }

  /**
   * The requested properties of a new trace.
   *
   * @param tenant null for the caller's tenant, or all tenants if the caller is not bound to one
   * @param startAt null for now
   * @param endAt null for 10 minutes after the start
   */
  public record Draft(
      String name,
      TraceType type,
      String value,
      @Nullable String tenant,
      PayloadEncoding payload,
      @Nullable Instant startAt,
      @Nullable Instant endAt,
      TraceFormat format) {}
}
