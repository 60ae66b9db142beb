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
    return status.withDescription(refusal.why()).asRuntimeException();
  }

  /** Returns null if the status is not such a refusal. */
  static StartFence.@Nullable Refusal decode(Status status) {
    String why = status.getDescription();
    return why == null
        ? null
        : switch (status.getCode()) {
          case PERMISSION_DENIED -> new StartFence.Refusal(why, true);
          case ALREADY_EXISTS -> new StartFence.Refusal(why, false);
          default -> null;
        };
  }
}
