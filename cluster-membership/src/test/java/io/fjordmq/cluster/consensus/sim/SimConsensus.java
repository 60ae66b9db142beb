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
  private static final int MAX_KEPT_BEHIND_CHECKPOINT = 8;

  private final GroupId group;
  private final SimHost host;
  private final SimProcess process;
  private final ReplicatedState state;
  private final SimReplica replica;
  private final SimApplier applier;
  private final Deque<QueuedProposal> queuedProposals = new ArrayDeque<>();
  private final Set<CompletableFuture<?>> pending = new LinkedHashSet<>();
  private final Map<Long, CompletableFuture<Long>> remoteReads = new HashMap<>();
  private long lastReadId;
  private boolean checkpointing;
  private boolean closed;
  private @Nullable ConsensusException halted;

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
    this.process = host.process().part(this::halt);
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
        process.alive() && leadsIn(replica.term()) && applier.announced(replica.term());
    return new Leadership(replica.term(), replica.leader(), leading);
  }

  @Override
  public void propose(long expectedTerm, byte[] entry, Proposal proposal) {
    queuedProposals.add(new QueuedProposal(expectedTerm, entry, proposal));
    if (closed || halted != null) {
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
      if (halted == null) {
        stop();
      }
      host.closed(group);
    }
  }

  // ---- faults that a simulation injects

  boolean isRunning() {
    return !closed && halted == null;
  }

  void depose() {
    process.execute(
        () -> {
          if (replica.leading() != null) {
            replica.becomeFollower(null);
          }
        });
  }

  void fail(Exception fault) {
    process.execute(() -> halt(fault));
  }

  // ---- callbacks of the replica

  @Override
  public void committed(long index) {
    applier.committed(index);
  }

  @Override
  public void truncated(long fromIndex) {
    applier.failFrom(fromIndex, "replaced by entries of another leader");
  }

  @Override
  public void steppedDown() {
    applier.steppedDown();
  }

  @Override
  public void install(SimLog.Base snapshot, Path copy) {
    try {
      state.install(copy);
      applier.installed(snapshot.index());
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
    return replica.leading() != null && replica.term() == term;
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
    QueuedProposal offer = queuedProposals.poll();
    SimLeader leader = replica.leading();
    if (offer == null) {
      return;
    }
    if (leader == null || replica.term() != offer.term || !applier.announced(offer.term)) {
      offer.proposal.onFailed(
          new ConsensusException(
              Kind.NOT_LEADER, host.node() + " does not lead " + group + " in " + offer.term));
    } else if (leader.transferring() || applier.pending() >= MAX_PENDING) {
      offer.proposal.onFailed(
          new ConsensusException(Kind.BUSY, group + " accepts no entries at the moment; retry"));
    } else {
      applier.proposed(replica.log().lastIndex() + 1, offer.term, offer.proposal);
      leader.append(offer.entry, null);
    }
  }

  private <T> CompletableFuture<T> request(
      BiConsumer<CompletableFuture<T>, SimLeader> leading,
      java.util.function.Consumer<CompletableFuture<T>> notLeading) {
    CompletableFuture<T> future = new CompletableFuture<>();
    if (closed || halted != null) {
      host.process().execute(() -> future.completeExceptionally(stopCause()));
      return future;
    }
    pending.add(future);
    future.whenComplete((result, failure) -> pending.remove(future));
    process.execute(
        () -> {
          SimLeader leader = replica.leading();
          if (leader != null && applier.announced(replica.term())) {
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
    SimLeader leader = replica.leading();
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
    long kept = process.simulation().between(0, MAX_KEPT_BEHIND_CHECKPOINT);
    state.checkpoint(
        new ReplicatedState.CheckpointRequest() {
          @Override
          public void durable() {
            process.execute(
                () -> {
                  checkpointing = false;
                  replica.log().truncateTo(index - kept);
                  future.complete(index);
                });
          }

          @Override
          public void failed(Exception cause) {
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
    if (halted == null && !closed) {
      ConsensusException failure =
          new ConsensusException(Kind.FAILED, group + " on " + host.node() + ": " + cause, cause);
      halted = failure;
      stop();
      host.process().execute(() -> state.onHalted(failure));
    }
  }

  private void halt(UncheckedIOException cause) {
    halt((Exception) cause);
  }

  private void stop() {
    host.network().forget(replica.address(host.node()));
    replica.stop();
    applier.failFrom(0, "the replica stopped");
    failQueuedProposals(stopCause());
    for (CompletableFuture<?> future : List.copyOf(pending)) {
      future.completeExceptionally(stopCause());
    }
    process.end();
  }

  private void failQueuedProposals(ConsensusException cause) {
    for (QueuedProposal offer = queuedProposals.poll();
        offer != null;
        offer = queuedProposals.poll()) {
      offer.proposal.onFailed(cause);
    }
  }

  private ConsensusException stopCause() {
    ConsensusException failure = halted;
    return failure != null
        ? failure
        : new ConsensusException(Kind.CLOSED, group + " on " + host.node() + " is closed");
  }
}
