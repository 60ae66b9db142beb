package io.fjordmq.broker.query;

import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.common.OperationException;
import io.fjordmq.range.RangeException;
import java.util.concurrent.CompletableFuture;

/** A query failed; the message tells the operator why. */
public final class QueryException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The kind of failure, which determines what the caller can do. */
  public enum Kind {
    /** The query is not valid. */
    INVALID,
    /** Part of the cluster is unavailable; retry later. */
    UNAVAILABLE
  }

  private final Kind kind;

  QueryException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  /** Returns the kind of failure. */
  public Kind kind() {
    return kind;
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }

  /** Fails with this exception because a node cannot be reached, did not respond or failed. */
  static <T> CompletableFuture<T> ofNode(String node, Throwable failure) {
    return CompletableFuture.failedFuture(
        new QueryException(Kind.UNAVAILABLE, PeerException.describe(node, failure)));
  }

  /** Fails with this exception if a range of a store is unavailable, otherwise with the failure. */
  static <T> CompletableFuture<T> ofStore(Throwable failure) {
    Throwable cause = OperationException.unwrap(failure);
    return CompletableFuture.failedFuture(
        cause instanceof RangeException
            ? new QueryException(Kind.UNAVAILABLE, String.valueOf(cause.getMessage()))
            : cause);
  }
}
