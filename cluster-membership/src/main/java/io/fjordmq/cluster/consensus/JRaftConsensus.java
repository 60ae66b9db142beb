package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Node;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.closure.ReadIndexClosure;
import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.entity.Task;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.UseGate;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A replica on sofa-jraft. */
final class JRaftConsensus implements Consensus {
  private static final Logger LOG = LoggerFactory.getLogger(JRaftConsensus.class);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);
  private static final byte[] NO_CONTEXT = new byte[0];
  private static final long CHECKPOINT_RETRY_NANOS = 1_000_000;

  // Replaces jraft's own read timeout, whose timer thread would wake up every millisecond.
  private static final long READ_INDEX_MILLIS = 2_000;
  private static final long UNLIMITED = -1;
  private static final long NUDGE_INTERVAL_MILLIS = 500;

  private final GroupId group;
  private final NodeImpl node;
  private final GroupServices services;
  private final JRaftStateMachine machine;
  private final ConsensusSettings settings;
  private final ConsensusObserver observer;
  private final Runnable onClose;
  private final OutstandingProposals outstanding;
  private final Set<CompletableFuture<?>> requests = ConcurrentHashMap.newKeySet();

  // jraft may lose tasks that are submitted during its shutdown.
  private final UseGate gate = new UseGate();
  private final AtomicBoolean closed = new AtomicBoolean();

  JRaftConsensus(
      GroupId group,
      NodeImpl node,
      GroupServices services,
      JRaftStateMachine machine,
      ConsensusSettings settings,
      ConsensusObserver observer,
      Runnable onClose) {
    this.group = group;
    this.node = node;
    this.services = services;
    this.machine = machine;
    this.settings = settings;
    this.observer = observer;
    this.onClose = onClose;
    this.outstanding = new OutstandingProposals(group, settings.queuedProposals(), observer);
    machine.whenLeadershipEnds(this::campaignAgain);
  }

  @Override
  public GroupId group() {
    return group;
  }

  @Override
  public Leadership leadership() {
    return machine.leadership();
  }

  /**
   * @throws IllegalArgumentException if the entry is empty or larger than {@link
   *     ConsensusSettings#maxEntryBytes}
   */
  @Override
  public void propose(long expectedTerm, byte[] entry, Proposal proposal) {
    if (entry.length == 0 || entry.length > settings.maxEntryBytes()) {
      throw new IllegalArgumentException(
          "entry must have 1 to " + settings.maxEntryBytes() + " bytes: " + entry.length);
    }
    ConsensusException refusal =
        whileOpen(
            () -> {
              if (!outstanding.reserve()) {
                return tooMany();
              }
              PendingProposal pending = new PendingProposal(proposal, outstanding);
              outstanding.add(pending);
              node.apply(new Task(ByteBuffer.wrap(entry), pending, expectedTerm));
              return null;
            });
    if (refusal != null) {
      observer.proposalFailed(group, refusal.kind());
      proposal.failed(refusal);
    }
  }

  private ConsensusException tooMany() {
    return new ConsensusException(
        Kind.BUSY,
        "group " + group + " is at its limit of pending proposals: " + settings.queuedProposals());
  }

  @Override
  public CompletableFuture<Long> readIndex() {
    CompletableFuture<Long> read =
        request(
            result ->
                node.readIndex(
                    NO_CONTEXT,
                    new ReadIndexClosure(UNLIMITED) {
                      @Override
                      public void run(Status status, long index, byte[] context) {
                        complete(result, status, () -> index);
                      }
                    }));
    // Completed with the response, so that a finished read is not retained until its timeout.
    CompletableFuture<Boolean> timeout =
        new CompletableFuture<Boolean>()
            .completeOnTimeout(true, READ_INDEX_MILLIS, TimeUnit.MILLISECONDS);
    timeout.thenAccept(
        expired -> {
          if (expired) {
            read.completeExceptionally(readTimedOut());
          }
        });
    read.whenComplete((index, failure) -> timeout.complete(false));
    return read;
  }

  private ConsensusException readTimedOut() {
    return new ConsensusException(
        Kind.BUSY, "read of group " + group + " not confirmed in " + READ_INDEX_MILLIS + " ms");
  }

  /**
   * jraft rejects a change that turns a voter into a learner or vice versa. Such nodes first leave
   * the group and then rejoin in their new role.
   */
  @Override
  public CompletableFuture<Void> changeReplicas(ReplicaSet target) {
    ReplicaSet current = status().replicas();
    Set<NodeId> voters = new HashSet<>(current.voters());
    Set<NodeId> learners = new HashSet<>(current.learners());
    boolean changesRoles =
        voters.removeAll(target.learners()) | learners.removeAll(target.voters());
    if (!changesRoles || voters.isEmpty()) {
      return change(target);
    }
    return change(new ReplicaSet(voters, learners)).thenCompose(left -> change(target));
  }

  private CompletableFuture<Void> change(ReplicaSet target) {
    CompletableFuture<Void> changed =
        request(
            result ->
                node.changePeers(
                    PeerNames.configuration(target),
                    status -> complete(result, status, () -> null)));
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
                      ? closedFailure()
                      : whileOpen(
                          () -> {
                            node.apply(new Task(JRaftStateMachine.NUDGE.duplicate(), null));
                            return null;
                          });
              if (refusal == null) {
                nudgeUntil(changed);
              }
            });
  }

  /** Fails with {@link IllegalArgumentException} if the target is not a voter. */
  @Override
  public CompletableFuture<Void> transferLeadership(NodeId target) {
    return request(
        result -> {
          if (!PeerNames.replicas(node.getCurrentConf()).voters().contains(target)) {
            result.completeExceptionally(
                new IllegalArgumentException(target + " is not a voter of group " + group));
          } else if (leadership().leading() && target.equals(leadership().leader())) {
            result.complete(null);
          } else if (!machine.transfer().begin(target, result)) {
            result.completeExceptionally(
                new ConsensusException(Kind.BUSY, "another leadership transfer is in progress"));
          } else {
            Status status = node.transferLeadershipTo(PeerNames.peer(target));
            if (!status.isOk()) {
              machine.transfer().fail(StatusErrors.ofRequest(status));
            }
          }
        });
  }

  @Override
  public void campaign() {
    whileOpen(
        () -> {
          Candidacy.begin(node, group, CheckpointRecord.FIRST_TERM);
          return null;
        });
  }

  /*
   * Works around a bug in jraft 1.4.1: a leader that steps down while a group of one gains voters
   * never starts another election. NodeImpl.handleStepDownTimeout misses the majority of the new
   * group, steps down, and then checks the majority of the old group, which is this replica alone.
   * As that succeeds, it sets its last leader contact to the end of time and waits for that leader
   * to time out. No other node can win without this replica's vote. In every other case this is
   * one superfluous election, in a term in which this replica no longer has followers.
   */
  private void campaignAgain(long term) {
    long delay = 2 * settings.electionTimeout().toMillis();
    CompletableFuture.delayedExecutor(delay, TimeUnit.MILLISECONDS)
        .execute(
            () ->
                whileOpen(
                    () -> {
                      if (leadership().leader() == null) {
                        Candidacy.begin(node, group, term);
                      }
                      return null;
                    }));
  }

  @Override
  public CompletableFuture<Long> checkpoint() {
    if (services.snapshots().holdsLog()) {
      return CompletableFuture.completedFuture(services.snapshots().coveredIndex());
    }
    long wanted = machine.appliedIndex();
    return request(result -> checkpoint(wanted, result));
  }

  // jraft updates its applied index only after the state has notified the proposer. If the proposer
  // requests a checkpoint right away, jraft may see nothing new: retry until it does.
  private void checkpoint(long wanted, CompletableFuture<Long> result) {
    Closure done =
        status -> {
          if (status.isOk() && services.snapshots().coveredIndex() < wanted) {
            LockSupport.parkNanos(CHECKPOINT_RETRY_NANOS);
            start(result, again -> checkpoint(wanted, again));
          } else {
            complete(result, status, services.snapshots()::coveredIndex);
          }
        };
    node.snapshot(done);
  }

  /** An operation that eventually completes the future, possibly with an exception. */
  @FunctionalInterface
  private interface Request<T> {
    void start(CompletableFuture<T> result);
  }

  private <T> CompletableFuture<T> request(Request<T> request) {
    CompletableFuture<T> result = new CompletableFuture<>();
    requests.add(result);
    result.whenComplete((value, failure) -> requests.remove(result));
    start(result, request);
    return result;
  }

  private <T> void start(CompletableFuture<T> result, Request<T> request) {
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
   * @return the refusal, to be reported outside the gate: the callback may close the replica
   */
  private @Nullable ConsensusException whileOpen(Supplier<@Nullable ConsensusException> call) {
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

  private static <T extends @Nullable Object> void complete(
      CompletableFuture<T> result, Status status, Supplier<T> onSuccess) {
    if (status.isOk()) {
      result.complete(onSuccess.get());
    } else {
      result.completeExceptionally(StatusErrors.ofRequest(status));
    }
  }

  private ConsensusException closedFailure() {
    return new ConsensusException(Kind.CLOSED, "the replica of group " + group + " is closed");
  }

  @Override
  public GroupStatus status() {
    boolean open = gate.enter();
    try {
      return new GroupStatus(
          machine.leadership(),
          PeerNames.replicas(node.getCurrentConf()),
          services.log().getFirstLogIndex(),
          statistic(open, node::getLastLogIndex, services.log().getLastLogIndex()),
          statistic(open, node::getLastCommittedIndex, 0),
          statistic(open, node::getLastAppliedLogIndex, 0));
    } finally {
      if (open) {
        gate.leave();
      }
    }
  }

  /** Reads a statistic of jraft, which throws if its node has halted in the meantime. */
  private static long statistic(boolean open, LongSupplier source, long fallback) {
    try {
      return open ? source.getAsLong() : fallback;
    } catch (IllegalStateException halted) {
      return fallback;
    }
  }

  /** Waits for callbacks of the replica, so it must not be called from one. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    if (!gate.shut(CLOSE_TIMEOUT)) {
      LOG.error(
          "Closing a replica although calls did not return within {} group={} calls={}",
          CLOSE_TIMEOUT,
          group,
          gate.inside());
    }
    machine.closing();
    node.shutdown();
    join(node);
    services.snapshots().close();
    ConsensusException unknown =
        new ConsensusException(
            Kind.OUTCOME_UNKNOWN, "group " + group + " was closed before the entry was applied");
    if (!outstanding.failAll(unknown, CLOSE_TIMEOUT)) {
      LOG.error(
          "Closing a group with unresolved proposals after {} group={}", CLOSE_TIMEOUT, group);
    }
    requests.forEach(request -> request.completeExceptionally(closedFailure()));
    onClose.run();
  }

  static void join(Node node) {
    boolean interrupted = false;
    while (true) {
      try {
        node.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
