package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.StartFence;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import org.jspecify.annotations.Nullable;

/** Encodes the refusal of a data directory as a gRPC status. */
final class PeerRefusals {
  private PeerRefusals() {}

  static StatusRuntimeException encode(StartFence.Refusal refusal) {
    Status status = refusal.permanent() ? Status.PERMISSION_DENIED : Status.ALREADY_EXISTS;
    return status.withDescription(refusal.reason()).asRuntimeException();
  }

  /** Returns null if the status is not such a refusal. */
  static StartFence.@Nullable Refusal decode(Status status) {
    String reason = status.getDescription();
    return reason == null
        ? null
        : switch (status.getCode()) {
          case PERMISSION_DENIED -> new StartFence.Refusal(reason, true);
          case ALREADY_EXISTS -> new StartFence.Refusal(reason, false);
          default -> null;
        };
  }
}
