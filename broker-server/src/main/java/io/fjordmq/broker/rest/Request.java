package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.http.ApiCall;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A valid request of an authorized caller. Immutable. Methods that take the name of a parameter
 * throw {@link IllegalArgumentException} if the operation does not declare it.
 */
public final class Request {
  private final Operation operation;
  private final Optional<Caller> caller;
  private final Map<String, String> path;
  private final Map<String, List<Object>> query;
  private final @Nullable Object body;
  private final String remoteAddress;
  private final ApiCall.Memory memory;
  private final long deadlineNanos;

  Request(
      Operation operation,
      Optional<Caller> caller,
      Map<String, String> path,
      Map<String, List<Object>> query,
      @Nullable Object body,
      String remoteAddress,
      ApiCall.Memory memory,
      long deadlineNanos) {
    this.operation = operation;
    this.caller = caller;
    this.path = path;
    this.query = query;
    this.body = body;
    this.remoteAddress = remoteAddress;
    this.memory = memory;
    this.deadlineNanos = deadlineNanos;
  }

  Operation operation() {
    return operation;
  }

  /**
   * The sender of the request.
   *
   * @throws IllegalStateException if the operation is anonymous
   */
  public Caller caller() {
    return caller.orElseThrow(() -> new IllegalStateException(operation + " is anonymous"));
  }

  /** The only tenant that the caller may see and change; empty if it may see all. */
  public Optional<String> tenant() {
    return caller.flatMap(known -> Optional.ofNullable(known.tenant()));
  }

  /** The decoded value of a variable of the path. */
  public String path(String name) {
    String value = path.get(name);
    if (value == null) {
      throw new IllegalArgumentException(operation + " does not declare {" + name + "}");
    }
    return value;
  }

  /** The value of a text or choice; empty if the request does not have it. */
  public Optional<String> text(String name) {
    return first(name).map(String.class::cast);
  }

  /** The values of a repeatable text or choice. */
  public List<String> texts(String name) {
    return values(name).stream().map(String.class::cast).toList();
  }

  /**
   * The value of a number.
   *
   * @throws IllegalArgumentException if the request does not have it and the parameter has no
   *     default
   */
  public int number(String name) {
    return findNumber(name)
        .orElseThrow(() -> new IllegalArgumentException(name + " has no default"));
  }

  /** The value of a number; empty if the request does not have it. */
  public Optional<Integer> findNumber(String name) {
    return first(name).map(Integer.class::cast);
  }

  /** The value of a flag; false if the request does not have it. */
  public boolean flag(String name) {
    return findFlag(name).orElse(false);
  }

  /** The value of a flag; empty if the request does not have it. */
  public Optional<Boolean> findFlag(String name) {
    return first(name).map(Boolean.class::cast);
  }

  /** The value of a time; empty if the request does not have it. */
  public Optional<Instant> time(String name) {
    return first(name).map(Instant.class::cast);
  }

  /** The requested page of an operation that is {@link Operation.Builder#paged}. */
  public Paging paging() {
    return new Paging(number("page"), number("limit"), text("cursor"));
  }

  /** The body of an operation that declares {@link Operation.Builder#body}. */
  public <T extends Record> T body(Class<T> type) {
    if (body == null) {
      throw new IllegalArgumentException(operation + " does not declare a body");
    }
    return type.cast(body);
  }

  /** The body of an operation that declares {@link Operation.Builder#bodyList}. */
  public <T> List<T> bodyList(Class<T> element) {
    if (!(body instanceof List<?> list)) {
      throw new IllegalArgumentException(operation + " does not declare a list as its body");
    }
    return list.stream().map(element::cast).toList();
  }

  /** The IP address of the caller. */
  public String remoteAddress() {
    return remoteAddress;
  }

  /**
   * Reserves memory until the response has been prepared, in addition to what the operation has
   * {@link Operation.Builder#memory declared}.
   *
   * @param bytes an estimate
   * @throws ApiException 503 if the requests in progress leave too little
   */
  void reserve(long bytes) {
    if (!memory.reserve(bytes)) {
      throw ApiException.busy(
          "requests in progress use too much memory (httpConfig.maxPendingRequestBytes); retry"
              + " later, or request fewer elements per page");
    }
  }

  /** The time left until the caller gets a timeout instead of the response; at least zero. */
  public Duration remaining() {
    return Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
  }

  /**
   * Stops an operation of many steps if its caller has already received a timeout.
   *
   * @throws ApiException 504 if no time is left
   */
  void requireTimeLeft() {
    if (remaining().isZero()) {
      throw new ApiException(
          ErrorCode.TIMEOUT,
          "the operation did not complete in time; it may have taken effect " + "in part");
    }
  }

  private Optional<Object> first(String name) {
    List<Object> values = values(name);
    return values.isEmpty() ? Optional.empty() : Optional.of(values.get(0));
  }

  /** The values from the request, or the default of the parameter. */
  private List<Object> values(String name) {
    List<Object> given = query.get(name);
    if (given != null) {
      return given;
    }
    Parameter declared = operation.queryParameter(name);
    if (declared == null) {
      throw new IllegalArgumentException(operation + " does not declare " + name);
    }
    Object fallback = declared.fallback();
    return fallback == null ? List.of() : List.of(fallback);
  }
}
