package io.fjordmq.cluster.consensus.transport;

import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.error.RaftError;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;

/** Maps jraft's statuses to {@link ConsensusException}s. */
public final class StatusErrors {
  // NodeImpl.executeApplyingTasks uses these for tasks that it did not append. Any other EPERM,
  // such as "Leader stepped down" from ClosureQueueImpl.clear, concerns entries in the log.
  private static final String NOT_LEADER = "Is not leader.";
  private static final String OTHER_TERM = "expected_term=";

  private StatusErrors() {}

  /**
   * Maps an unknown status to {@code OUTCOME_UNKNOWN}, because the entry may have been appended.
   */
  public static ConsensusException ofProposal(Status status) {
    return of(status, proposalKind(status));
  }

  private static Kind proposalKind(Status status) {
    String message = String.valueOf(status.getErrorMsg());
    RaftError error = status.getRaftError();
    if (error == RaftError.EPERM
        && (message.equals(NOT_LEADER) || message.startsWith(OTHER_TERM))) {
      return Kind.NOT_LEADER;
    }
    if (error == RaftError.EBUSY) {
      return Kind.BUSY;
    }
    if (error == RaftError.ENODESHUTDOWN) {
      return Kind.CLOSED;
    }
    return Kind.OUTCOME_UNKNOWN;
  }

  /** Maps the status of a read, a checkpoint or a membership change, which do not change data. */
  public static ConsensusException ofRequest(Status status) {
    return of(
        status,
        switch (status.getRaftError()) {
          case EPERM, EAGAIN, ENEWLEADER, ELEADERREMOVED, EHOSTDOWN -> Kind.NOT_LEADER;
          case EBUSY, ECATCHUP, ETIMEDOUT, ERAFTTIMEDOUT, ECANCELED -> Kind.BUSY;
          case ENODESHUTDOWN, ESHUTDOWN, ESTOP -> Kind.CLOSED;
          default -> Kind.FAILED;
        });
  }

  private static ConsensusException of(Status status, Kind kind) {
    return new ConsensusException(
        kind, status.getErrorMsg() + " (" + status.getRaftError().name() + ")");
  }
}
