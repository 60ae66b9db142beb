package io.fjordmq.cluster.consensus.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.consensus.Proposal;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.ReplicatedState;
import io.fjordmq.cluster.consensus.sim.RaftMessage.ReadIndex;
import io.fjordmq.cluster.consensus.sim.RaftMessage.ReadIndexReply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A replica of a simulated group: implements {@link Consensus} with {@link SimReplica} and {@link
 * SimApplier}. Calls take effect with the next event, so none calls back into its caller.
 */
final class SimConsensus implements Consensus, SimReplica.Listener {
  private static final int MAX_PENDING = 512;
  private static final long READ_TIMEOUT_MILLIS = 1000;
  private static final int MAX_ENTRIES_KEPT_BEFORE_CHECKPOINT = 8;

  private final GroupId group;
  private final SimHost host;
  private final SimProcess process;
  private final ReplicatedState state;
  private final SimReplica replica;
  private final SimApplier applier;
  private final Deque<QueuedProposal> queuedProposals = new ArrayDeque<>();
  private final Set<CompletableFuture<?>> pendingFutures = new LinkedHashSet<>();
  private final Map<Long, CompletableFuture<Long>> remoteReads = new HashMap<>();
  private long lastReadId;
  private boolean checkpointing;
  private boolean closed;
  private @Nullable ConsensusException haltCause;

  @SuppressWarnings("ArrayRecordComponent") // never compared by value
  private record QueuedProposal(long term, byte[] entry, Proposal proposal) {}

  SimConsensus(
      GroupId group,
      SimHost host,
      SimLog log,
      ReplicatedState state,
      long applied,
      RaftInvariants invariants) {
    this.group = group;
    this.host = host;
    this.state = state;
    this.process = host.process().createPart(this::halt);
    this.applier =
        new SimApplier(process, log, invariants, state, applied, this::leadsIn, this::halt);
    this.replica =
        new SimReplica(group, process, host.disk(), host.network(), log, applied, invariants, this);
  }

  void start() {
    host.network()
        .listen(
            replica.address(host.node()),
            (from, message) -> process.run(() -> receive(from.node(), message)));
    replica.start();
  }

  @Override
  public GroupId group() {
    return group;
  }

  @Override
  public Leadership leadership() {
    boolean leading =
        process.isAlive() && leadsIn(replica.term()) && applier.hasAnnounced(replica.term());
    return new Leadership(replica.term(), replica.leader(), leading);
  }

  @Override
  public void propose(long expectedTerm, byte[] entry, Proposal proposal) {
    queuedProposals.add(new QueuedProposal(expectedTerm, entry, proposal));
    if (closed || haltCause != null) {
      host.process().execute(() -> failQueuedProposals(stopCause()));
    } else {
      process.execute(this::appendNextProposal);
    }
  }

  @Override
  public CompletableFuture<Long> readIndex() {
    return request((future, leader) -> confirmRead(leader, future), this::requestFromLeader);
  }

  @Override
  public CompletableFuture<Void> changeReplicas(ReplicaSet target) {
    return request((future, leader) -> leader.change(target, future), SimConsensus::refuse);
  }

  @Override
  public CompletableFuture<Void> transferLeadership(NodeId target) {
    return request((future, leader) -> leader.transfer(target, future), SimConsensus::refuse);
  }

  @Override
  public void campaign() {
    process.execute(replica::campaignFirst);
  }

  @Override
  public CompletableFuture<Long> checkpoint() {
    return request((future, leader) -> beginCheckpoint(future), this::beginCheckpoint);
  }

  @Override
  public GroupStatus status() {
    SimLog log = replica.log();
    return new GroupStatus(
        leadership(),
        log.replicas(),
        log.base().index() + 1,
        log.lastIndex(),
        replica.committed(),
        applier.applied());
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      if (haltCause == null) {
        stop();
      }
      host.onClosed(group);
    }
  }

  // ---- faults that a simulation injects

  boolean isRunning() {
    return !closed && haltCause == null;
  }

  boolean leads() {
    return replica.leaderState() != null;
  }

  void depose() {
    process.execute(
        () -> {
          if (replica.leaderState() != null) {
            replica.becomeFollower(null);
          }
        });
  }

  void fail(Exception fault) {
    process.execute(() -> halt(fault));
  }

  // ---- callbacks of the replica

  @Override
  public void onCommitted(long index) {
    applier.onCommitted(index);
  }

  @Override
  public void onTruncated(long fromIndex) {
    applier.failFrom(fromIndex, "replaced by entries of another leader");
  }

  @Override
  public void onStepDown() {
    applier.onStepDown();
  }

  @Override
  public void install(SimLog.Base snapshot, Path copy) {
    try {
      state.install(copy);
      applier.onInstalled(snapshot.index());
    } catch (IOException | RuntimeException e) {
      halt(e);
    }
  }

  @Override
  public SimReplica.@Nullable Snapshot export() {
    try {
      Path directory = host.newDirectory();
      SimLog.Base base = replica.log().baseAt(applier.applied());
      long exported = state.export(directory);
      if (exported != base.lastData()) {
        throw new AssertionError(
            "the snapshot claims to contain "
                + exported
                + ", but the applied index was "
                + base.lastData());
      }
      return new SimReplica.Snapshot(base, directory);
    } catch (IOException e) {
      return null;
    }
  }

  // ---- events

  private boolean leadsIn(long term) {
    return replica.leaderState() != null && replica.term() == term;
  }

  private void receive(NodeId from, Object message) {
    if (message instanceof ReadIndex read) {
      respondToRead(from, read.id());
    } else if (message instanceof ReadIndexReply reply) {
      CompletableFuture<Long> read = remoteReads.remove(reply.id());
      if (read != null) {
        completeRead(reply.index(), read);
      }
    } else {
      replica.receive(from, (RaftMessage) message);
    }
  }

  private void appendNextProposal() {
    QueuedProposal queued = queuedProposals.poll();
    SimLeader leader = replica.leaderState();
    if (queued == null) {
      return;
    }
    if (leader == null || replica.term() != queued.term || !applier.hasAnnounced(queued.term)) {
      queued.proposal.onFailed(
          new ConsensusException(
              Kind.NOT_LEADER, host.node() + " does not lead " + group + " in " + queued.term));
    } else if (leader.isTransferring() || applier.pending() >= MAX_PENDING) {
      queued.proposal.onFailed(
          new ConsensusException(Kind.BUSY, group + " accepts no entries at the moment; retry"));
    } else {
      applier.onProposed(replica.log().lastIndex() + 1, queued.term, queued.proposal);
      leader.append(queued.entry, null);
    }
  }

  private <T> CompletableFuture<T> request(
      BiConsumer<CompletableFuture<T>, SimLeader> leading,
      java.util.function.Consumer<CompletableFuture<T>> notLeading) {
    CompletableFuture<T> future = new CompletableFuture<>();
    if (closed || haltCause != null) {
      host.process().execute(() -> future.completeExceptionally(stopCause()));
      return future;
    }
    pendingFutures.add(future);
    future.whenComplete((result, failure) -> pendingFutures.remove(future));
    process.execute(
        () -> {
          SimLeader leader = replica.leaderState();
          if (leader != null && applier.hasAnnounced(replica.term())) {
            leading.accept(future, leader);
          } else {
            notLeading.accept(future);
          }
        });
    return future;
  }

  private static void refuse(CompletableFuture<?> future) {
    future.completeExceptionally(
        new ConsensusException(Kind.NOT_LEADER, "this replica does not lead"));
  }

  private void confirmRead(SimLeader leader, CompletableFuture<Long> future) {
    leader.confirmRead(index -> completeRead(index, future));
  }

  private void requestFromLeader(CompletableFuture<Long> future) {
    NodeId leader = replica.leader();
    if (leader == null || leader.equals(host.node())) {
      refuse(future);
      return;
    }
    long id = ++lastReadId;
    remoteReads.put(id, future);
    replica.send(leader, new ReadIndex(replica.term(), id));
    process.schedule(
        READ_TIMEOUT_MILLIS,
        () -> {
          if (remoteReads.remove(id) != null) {
            refuse(future);
          }
        });
  }

  private void respondToRead(NodeId from, long id) {
    SimLeader leader = replica.leaderState();
    if (leader == null) {
      replica.send(from, new ReadIndexReply(replica.term(), id, -1));
    } else {
      leader.confirmRead(
          index -> replica.send(from, new ReadIndexReply(replica.term(), id, index)));
    }
  }

  private void completeRead(long index, CompletableFuture<Long> future) {
    if (index < 0) {
      refuse(future);
    } else {
      applier.whenApplied(index, () -> future.complete(index));
    }
  }

  private void beginCheckpoint(CompletableFuture<Long> future) {
    if (checkpointing) {
      future.completeExceptionally(
          new ConsensusException(Kind.BUSY, "a checkpoint is already in progress"));
      return;
    }
    checkpointing = true;
    long index = applier.applied();
    long kept = process.simulation().between(0, MAX_ENTRIES_KEPT_BEFORE_CHECKPOINT);
    state.checkpoint(
        new ReplicatedState.CheckpointRequest() {
          @Override
          public void onDurable() {
            process.execute(
                () -> {
                  checkpointing = false;
                  replica.log().truncateTo(index - kept);
                  future.complete(index);
                });
          }

          @Override
          public void onFailed(Exception cause) {
            process.execute(
                () -> {
                  checkpointing = false;
                  future.completeExceptionally(
                      new ConsensusException(Kind.FAILED, "the state is not durable", cause));
                });
          }
        });
  }

  private void halt(Exception cause) {
    if (haltCause == null && !closed) {
      ConsensusException failure =
          new ConsensusException(Kind.FAILED, group + " on " + host.node() + ": " + cause, cause);
      haltCause = failure;
      stop();
      host.process().execute(() -> state.onHalted(failure));
    }
  }

  private void halt(UncheckedIOException cause) {
    halt((Exception) cause);
  }

  private void stop() {
    host.network().unregister(replica.address(host.node()));
    replica.stop();
    applier.failFrom(0, "the replica stopped");
    failQueuedProposals(stopCause());
    for (CompletableFuture<?> future : List.copyOf(pendingFutures)) {
      future.completeExceptionally(stopCause());
    }
    process.end();
  }

  private void failQueuedProposals(ConsensusException cause) {
    for (QueuedProposal queued = queuedProposals.poll();
        queued != null;
        queued = queuedProposals.poll()) {
      queued.proposal.onFailed(cause);
    }
  }

  private ConsensusException stopCause() {
    ConsensusException failure = haltCause;
    return failure != null
        ? failure
        : new ConsensusException(Kind.CLOSED, group + " on " + host.node() + " is closed");
  }
}
