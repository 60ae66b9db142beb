package io.fjordmq.cluster.consensus.jraft;

import com.alipay.sofa.jraft.Status;
import io.fjordmq.cluster.UseGate;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.transport.StatusErrors;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The requests that one replica sends to its jraft node. New requests are refused once the replica
 * is closed or halted. Every request completes, even if jraft loses it during its shutdown.
 * Thread-safe.
 */
final class GroupRequests {
  private final GroupId group;
  private final UseGate gate;
  private final JRaftStateMachine machine;
  private final Set<CompletableFuture<?>> pending = ConcurrentHashMap.newKeySet();

  /**
   * @param gate shut by the replica when it closes
   */
  GroupRequests(GroupId group, UseGate gate, JRaftStateMachine machine) {
    this.group = group;
    this.gate = gate;
    this.machine = machine;
  }

  /** An operation that eventually completes the future, possibly with an exception. */
  @FunctionalInterface
  interface Request<T> {
    void start(CompletableFuture<T> result);
  }

  /** Starts a request, or fails it if the replica is closed or halted. */
  <T> CompletableFuture<T> begin(Request<T> request) {
    CompletableFuture<T> result = new CompletableFuture<>();
    pending.add(result);
    result.whenComplete((value, failure) -> pending.remove(result));
    start(result, request);
    return result;
  }

  /**
   * Starts a request that completes the future. To repeat a request, call this method again with
   * the same future.
   */
  <T> void start(CompletableFuture<T> result, Request<T> request) {
    ConsensusException refusal =
        whileOpen(
            () -> {
              request.start(result);
              return null;
            });
    if (refusal != null) {
      result.completeExceptionally(refusal);
    }
  }

  /**
   * Runs the call unless the replica is closed or halted.
   *
   * @return the refusal, or null. Report it only after this method has returned, because the
   *     receiver may close the replica
   */
  @Nullable ConsensusException whileOpen(Supplier<@Nullable ConsensusException> call) {
    if (!gate.enter()) {
      return closedFailure();
    }
    try {
      ConsensusException refusal = machine.haltCause();
      return refusal == null ? call.get() : refusal;
    } finally {
      gate.leave();
    }
  }

  /** Completes a request with the status that jraft reports. */
  static <T extends @Nullable Object> void complete(
      CompletableFuture<T> result, Status status, Supplier<T> onSuccess) {
    if (status.isOk()) {
      result.complete(onSuccess.get());
    } else {
      result.completeExceptionally(StatusErrors.ofRequest(status));
    }
  }

  ConsensusException closedFailure() {
    return new ConsensusException(Kind.CLOSED, "the replica of group " + group + " is closed");
  }

  /** Fails the requests that have not completed. Must be called when the replica is closed. */
  void failAll() {
    pending.forEach(request -> request.completeExceptionally(closedFailure()));
  }
}
