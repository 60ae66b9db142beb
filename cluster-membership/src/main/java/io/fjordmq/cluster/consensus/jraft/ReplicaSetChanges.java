package io.fjordmq.cluster.consensus.jraft;

import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.entity.Task;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.log.PeerNames;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Changes a group's members, and makes sure that jraft completes the changes. Thread-safe. */
final class ReplicaSetChanges {
  private static final long NUDGE_INTERVAL_MILLIS = 500;

  private final NodeImpl node;
  private final GroupRequests requests;

  ReplicaSetChanges(NodeImpl node, GroupRequests requests) {
    this.node = node;
    this.requests = requests;
  }

  /**
   * Changes the members of the group. jraft rejects a change that turns a voter into a learner or
   * vice versa. Such nodes first leave the group and then rejoin in their new role.
   */
  CompletableFuture<Void> begin(ReplicaSet current, ReplicaSet target) {
    Set<NodeId> voters = new HashSet<>(current.voters());
    Set<NodeId> learners = new HashSet<>(current.learners());
    boolean changesRoles =
        voters.removeAll(target.learners()) | learners.removeAll(target.voters());
    if (!changesRoles || voters.isEmpty()) {
      return change(target);
    }
    return change(new ReplicaSet(voters, learners)).thenCompose(removed -> change(target));
  }

  private CompletableFuture<Void> change(ReplicaSet target) {
    CompletableFuture<Void> changed =
        requests.begin(
            result ->
                node.changePeers(
                    PeerNames.configuration(target),
                    status -> GroupRequests.complete(result, status, () -> null)));
    nudgeUntil(changed);
    return changed;
  }

  /**
   * Appends empty entries until the change completes. jraft checks whether a new member has caught
   * up only when the member acknowledges an entry; in an idle group that may never happen.
   */
  private void nudgeUntil(CompletableFuture<Void> changed) {
    CompletableFuture.delayedExecutor(NUDGE_INTERVAL_MILLIS, TimeUnit.MILLISECONDS, Runnable::run)
        .execute(
            () -> {
              ConsensusException refusal =
                  changed.isDone()
                      ? requests.closedFailure()
                      : requests.whileOpen(
                          () -> {
                            node.apply(new Task(JRaftStateMachine.NUDGE.duplicate(), null));
                            return null;
                          });
              if (refusal == null) {
                nudgeUntil(changed);
              }
            });
  }
}
