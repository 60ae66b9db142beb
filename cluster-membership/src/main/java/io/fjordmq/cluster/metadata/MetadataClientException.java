package io.fjordmq.cluster.metadata;

import io.fjordmq.common.OperationException;

/** Thrown if {@link MetadataClient} could not read or write. */
public final class MetadataClientException extends OperationException {
  private static final long serialVersionUID = 1;

  /** The kind of failure, from the caller's point of view. */
  public enum Kind {
    /** A record did not have its expected version; nothing was written. */
    CHANGED,
    /** The metadata is not available at the moment, or the outcome of a write is unknown. */
    UNAVAILABLE
  }

  MetadataClientException(Kind kind, String message) {
    super(kind, message);
  }

  @Override
  public Kind kind() {
    return (Kind) super.kind();
  }
}
