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

/** One replica, run by sofa-jraft. */
final class JRaftConsensus implements Consensus {
  private static final Logger LOG = LoggerFactory.getLogger(JRaftConsensus.class);
  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(10);
  private static final byte[] NO_CONTEXT = new byte[0];
  private static final long CHECKPOINT_RETRY_NANOS = 1_000_000;

  // jraft's own limit, which it would watch by a timer that wakes every millisecond for ever.
  private static final long READ_INDEX_MILLIS = 2_000;
  private static final long UNLIMITED = -1;
  private static final long NUDGE_MILLIS = 500;

  private final GroupId group;
  private final NodeImpl node;
  private final GroupServices services;
  private final JRaftStateMachine machine;
  private final ConsensusSettings settings;
  private final ConsensusObserver observer;
  private final Runnable onClose;
  private final OutstandingProposals outstanding;
  private final Set<CompletableFuture<?>> requests = ConcurrentHashMap.newKeySet();

  // jraft may lose what is offered while it shuts down.
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
          "an entry has 1 to " + settings.maxEntryBytes() + " bytes, this one " + entry.length);
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
        settings.queuedProposals() + " proposals of group " + group + " are not yet applied");
  }

  @Override
  public CompletableFuture<Long> readIndex() {
    CompletableFuture<Long> asked =
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
    // Completed when the answer is there, so that nothing of a read is kept until its time is up.
    CompletableFuture<Boolean> patience =
        new CompletableFuture<Boolean>()
            .completeOnTimeout(true, READ_INDEX_MILLIS, TimeUnit.MILLISECONDS);
    patience.thenAccept(
        isOver -> {
          if (isOver) {
            asked.completeExceptionally(unanswered());
          }
        });
    asked.whenComplete((index, failure) -> patience.complete(false));
    return asked;
  }

  private ConsensusException unanswered() {
    return new ConsensusException(
        Kind.BUSY, "group " + group + " did not agree on a read in " + READ_INDEX_MILLIS + " ms");
  }

  /**
   * jraft refuses a change in which a node is a voter on one side and a learner on the other; such
   * nodes leave the group before they come back as what they shall be.
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
   * jraft looks whether a newcomer has caught up only when that one acknowledges an entry. If it
   * had done so before jraft began to wait, an idle group would wait for ever: it gets entries.
   */
  private void nudgeUntil(CompletableFuture<Void> changed) {
    CompletableFuture.delayedExecutor(NUDGE_MILLIS, TimeUnit.MILLISECONDS, Runnable::run)
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

  /** Fails with {@link IllegalArgumentException} if the target is no voter. */
  @Override
  public CompletableFuture<Void> transferLeadership(NodeId target) {
    return request(
        result -> {
          if (!PeerNames.replicas(node.getCurrentConf()).voters().contains(target)) {
            result.completeExceptionally(
                new IllegalArgumentException(target + " is no voter of group " + group));
          } else if (leadership().leading() && target.equals(leadership().leader())) {
            result.complete(null);
          } else if (!machine.transfer().begin(target, result)) {
            result.completeExceptionally(
                new ConsensusException(Kind.BUSY, "leadership is being transferred already"));
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
   * jraft 1.4.1 would not do so if it stepped down while a group of one was about to have more
   * voters: NodeImpl.handleStepDownTimeout misses the majority of the new group, steps down, and
   * then looks for the majority of the old one, which is this replica alone. Finding it, it notes
   * that it hears a leader, as of the end of time, and waits for that one to fall silent. Nobody
   * else can lead without this one's vote. In any other state this is one election too many, in a
   * term in which this replica is not followed any more.
   */
  private void campaignAgain(long term) {
    long patience = 2 * settings.electionTimeout().toMillis();
    CompletableFuture.delayedExecutor(patience, TimeUnit.MILLISECONDS)
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

  // jraft learns of an applied entry only after the state has told its proposer. If that one asks
  // for a checkpoint at once, jraft may find nothing new: ask again until it has noticed.
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

  /** What completes a future sooner or later, if only by an exception. */
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
   * Uses the node unless it is closed or halted.
   *
   * @return why not; to be told outside of the gate, since the callback may close the replica
   */
  private @Nullable ConsensusException whileOpen(Supplier<@Nullable ConsensusException> use) {
    if (!gate.enter()) {
      return closedFailure();
    }
    try {
      ConsensusException refusal = machine.haltCause();
      return refusal == null ? use.get() : refusal;
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
          ask(open, node::getLastLogIndex, services.log().getLastLogIndex()),
          ask(open, node::getLastCommittedIndex, 0),
          ask(open, node::getLastAppliedLogIndex, 0));
    } finally {
      if (open) {
        gate.leave();
      }
    }
  }

  /** A figure of jraft's, which throws when its node has halted; that comes at any moment. */
  private static long ask(boolean open, LongSupplier figure, long otherwise) {
    try {
      return open ? figure.getAsLong() : otherwise;
    } catch (IllegalStateException halted) {
      return otherwise;
    }
  }

  /** Must not be called from a callback of the replica, for which it waits. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    if (!gate.shut(CLOSE_PATIENCE)) {
      LOG.error(
          "Closing a replica although calls to it did not return within {}; their "
              + "threads may have died group={} calls={}",
          CLOSE_PATIENCE,
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
    if (!outstanding.failAll(unknown, CLOSE_PATIENCE)) {
      LOG.error(
          "Could not fail pending proposals within {} before closing a group group={}",
          CLOSE_PATIENCE,
          group);
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
