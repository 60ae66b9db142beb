package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.ClusterLevel;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.LevelRecord;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataSettings;
import io.fjordmq.cluster.metadata.MetadataStorage;
import io.fjordmq.cluster.metadata.NodeRecord;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.cluster.peer.PeerNetwork;
import io.fjordmq.common.ThreadTimers;
import io.fjordmq.common.Timers;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node as a member of its cluster. Every start follows the same steps, whether the node
 * creates a cluster, joins one or restarts:
 *
 * <ol>
 *   <li>{@link ClusterJoin#identify}, which contacts the seeds at the first start
 *   <li>{@link NodeAddresses#open}, with the file in the data directory
 *   <li>{@link io.fjordmq.cluster.StartFence#open}, which counts this start
 *   <li>{@link io.fjordmq.cluster.peer.PeerPort#open}, with {@link NodeAddresses#peerAddressBook}
 *   <li>{@link StartCheck}
 *   <li>{@link io.fjordmq.cluster.consensus.jraft.JRaftHost#open}, on the next port, with {@link
 *       NodeAddresses#raftAddressBook}
 *   <li>{@link #open}, which returns once the node is registered as STARTING
 *   <li>the layers above open, {@linkplain #watch register listeners} and register their services
 *   <li>{@link #markReady}, after which the node can be counted and admitted
 * </ol>
 */
public final class ClusterMembership implements Membership, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterMembership.class);
  private static final long REPORT_SECONDS = 10;

  private final NodeIdentity identity;
  private final MetadataGroup metadata;
  private final MembershipSettings settings;
  private final MemberView members = new MemberView();
  private final Timers timers;
  private final LeaderCalls calls;
  private final NodeIncarnations incarnations;
  private final LocalNodeRecord record;
  private final ClusterDeparture exit;
  private final ClockWatch clock;
  private final LevelView level;

  private ClusterMembership(
      NodeIdentity identity,
      MetadataGroup metadata,
      MembershipSettings settings,
      Timers timers,
      LeaderCalls calls,
      PeerNetwork peers,
      JoinOptions join,
      ClockWatch clock) {
    this.identity = identity;
    this.metadata = metadata;
    this.settings = settings;
    this.timers = timers;
    this.calls = calls;
    this.clock = clock;
    this.incarnations =
        new NodeIncarnations(
            identity.node(),
            join.address(),
            join.levels(),
            members,
            calls,
            peers,
            settings,
            timers,
            clock);
    this.level =
        new LevelView(
            join.levels(),
            LevelRecord.of(metadata.view()).level(),
            metadata::checkpoint,
            reason -> timers.execute(() -> incarnations.endPermanently(reason)));
    this.record =
        new LocalNodeRecord(
            identity.node(), metadata, members, incarnations::incarnation, this::write);
    this.exit = new ClusterDeparture(record, incarnations, clock, timers);
  }

  /**
   * Creates this node's replica of the metadata if there is none, opens it, and registers this
   * start with the metadata leader. Blocks until the node is registered; if that takes a while, the
   * log reports what it is waiting for.
   *
   * @param host must not have open groups
   * @param storage stores the checkpoints of the metadata
   * @param peers must not have handlers yet
   * @param disk runs blocking disk operations
   * @throws MembershipException if this node cannot be a member of the cluster with this
   *     configuration and data directory; the message explains why and what to do
   */
  public static ClusterMembership open(
      NodeIdentity identity,
      ConsensusHost host,
      MetadataStorage storage,
      MetadataSettings metadataSettings,
      PeerNetwork peers,
      NodeAddresses addresses,
      ClockFile clockFile,
      JoinOptions join,
      MembershipSettings settings,
      Executor disk)
      throws MembershipException, IOException, InterruptedException {
    InstantSource wallClock = InstantSource.system();
    new ClusterJoin(join, peers, wallClock).createReplica(identity, host, addresses);
    MetadataGroup metadata = MetadataGroup.open(host, storage, metadataSettings, disk);
    String refusal = LevelPlan.refusal(join.levels(), LevelRecord.of(metadata.view()).level());
    if (refusal != null) {
      metadata.close();
      throw new MembershipException(refusal);
    }
    ThreadTimers thread = new ThreadTimers("membership");
    clockFile.logDifference(wallClock.instant(), settings.clockTolerance().toMillis());
    try {
      ClusterMembership membership =
          start(identity, metadata, peers, addresses, join, settings, wallClock, clockFile, thread);
      membership.awaitRegistration();
      ClusterJoin.requireOneCluster(identity, metadata.view(), join.env());
      return membership;
    } catch (MembershipException | InterruptedException | RuntimeException e) {
      thread.close();
      metadata.close();
      throw e;
    }
  }

  /** Like {@link #open}, but expects an open replica and does not wait for the registration. */
  static ClusterMembership start(
      NodeIdentity identity,
      MetadataGroup metadata,
      PeerNetwork peers,
      NodeAddresses addresses,
      JoinOptions join,
      MembershipSettings settings,
      InstantSource wallClock,
      ClockFile clockFile,
      Timers timers) {
    NodeId self = identity.node();
    ClockWatch watch = ClockWatch.of(wallClock, timers, clockFile, settings);
    ClusterClock clock = watch.clock();
    MetadataLeader leader =
        new MetadataLeader(identity, metadata, settings, timers, clock, join.env(), peers.fence());
    LeaderCalls calls =
        new LeaderCalls(self, metadata, peers, addresses, request -> leader.handle(self, request));
    ClusterMembership membership =
        new ClusterMembership(identity, metadata, settings, timers, calls, peers, join, watch);
    membership.members.watch(
        new MembershipListener() {
          @Override
          public void onMembersChanged(Members members) {
            addresses.onMembersChanged(members);
            timers.execute(membership.incarnations::onMembersChanged);
          }
        });
    metadata.watch(membership.level);
    metadata.watch(membership.members);
    metadata.watch(new StartFenceUpdater(peers.fence()));
    peers.fence().fencedFuture().thenAcceptAsync(membership.incarnations::endPermanently, timers);
    peers.serve(
        LeaderCalls.SERVICE,
        (from, request) ->
            leader.handle(from, LeaderRequest.decode(request)).thenApply(LeaderResponse::encode));
    AddressDiscovery addressDiscovery =
        new AddressDiscovery(
            identity,
            join,
            peers,
            metadata,
            addresses,
            membership.incarnations::hasLease,
            clock,
            timers);
    timers.execute(leader::tick);
    timers.execute(addressDiscovery::begin);
    timers.execute(membership.incarnations::begin);
    return membership;
  }

  /**
   * Waits until this node is registered and has applied the metadata up to its registration,
   * including all earlier starts and removals.
   */
  private void awaitRegistration() throws InterruptedException, MembershipException {
    while (true) {
      try {
        long version = incarnations.registered().get(REPORT_SECONDS, TimeUnit.SECONDS);
        members.whenApplied(version).get(REPORT_SECONDS, TimeUnit.SECONDS);
        return;
      } catch (TimeoutException e) {
        LOG.warn(
            "Still waiting to register with the cluster: {} metadataReplicas={}",
            notServingReason(),
            metadata.status().replicas());
      } catch (ExecutionException e) {
        if (e.getCause() instanceof MembershipException refused) {
          throw refused;
        }
        throw new IllegalStateException(e);
      }
    }
  }

  /** This node's replica of the metadata, for reading; use {@link #write} to write. */
  public MetadataGroup metadata() {
    return metadata;
  }

  /**
   * Must be called once, when all components of this node are open. From then on, the cluster can
   * count this node.
   */
  public void markReady() {
    timers.execute(incarnations::markReady);
  }

  /**
   * Marks this node DRAINING, so that other nodes take over what it leads before it stops, or UP
   * again. Fails like {@link #write}, and with {@code BUSY} if its record has changed in the
   * meantime; can be repeated.
   */
  public CompletableFuture<Void> setDraining(boolean draining) {
    if (draining && record.hasState(Member.State.LEAVING)) {
      return CompletableFuture.completedFuture(null); // LEAVING implies draining
    }
    return record.write(draining ? NodeRecord.State.DRAINING : NodeRecord.State.UP);
  }

  /**
   * Reports the condition of this node's disk: FULL, SLOW, or UP if it is healthy. Fails like
   * {@link #setDraining}, and while the node is DRAINING or LEAVING; can be repeated. If it
   * succeeds while the disk of this node accepts no writes, the other nodes can continue without
   * this one.
   */
  public CompletableFuture<Void> reportDiskState(Member.State disk) {
    return record.hasState(Member.State.DRAINING) || record.hasState(Member.State.LEAVING)
        ? CompletableFuture.failedFuture(
            new ConsensusException(Kind.BUSY, "this node is DRAINING or LEAVING"))
        : record.write(NodeRecord.State.valueOf(disk.name()));
  }

  /**
   * Decommissions this node: marks it LEAVING, so that all its replicas and clients move to other
   * nodes. Fails like {@link #setDraining}; can be repeated. A restart cancels it.
   */
  public CompletableFuture<Void> decommission() {
    return record.write(NodeRecord.State.LEAVING);
  }

  /** Makes {@link #close} remove this node from the cluster if it is LEAVING. */
  public void removeOnClose() {
    exit.removeOnClose();
  }

  /**
   * Permanently removes a node that is DOWN from the cluster. Fails like {@link #write}, and with
   * {@link MembershipException} if the node does not exist, is not DOWN, or is needed for a
   * majority of the metadata.
   */
  public CompletableFuture<Void> remove(NodeId node) {
    try {
      return write(List.of(NodeRemoval.of(node, self(), metadata, members.members())))
          .thenAccept(LocalNodeRecord::appliedVersion);
    } catch (MembershipException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Suspends this node: ends its incarnation, so that its clients and the other nodes continue
   * without it. The next incarnation begins after {@link #resume}. Only use this if the other nodes
   * can continue without this one. Can be repeated.
   *
   * @param reason the reason, for the operator
   */
  public void suspend(String reason) {
    CompletableFuture.runAsync(() -> incarnations.suspend(reason), timers)
        .thenCompose(suspended -> record.write(NodeRecord.State.DOWN))
        .whenComplete(
            (written, failure) -> {
              if (failure != null) {
                LOG.info(
                    "Suspended without notifying the cluster, which will wait for the lease to "
                        + "expire: {}",
                    failure);
              }
            });
  }

  /** Lets the next incarnation begin after {@link #suspend}. */
  public void resume() {
    timers.execute(incarnations::resume);
  }

  /**
   * Sets cluster time to the median wall clock of the nodes, after an operator has confirmed that
   * it is right. The other nodes follow with their next renewals. Fails like {@link #write}, and if
   * the wall clocks are not ahead of cluster time.
   *
   * @return the time by which cluster time has advanced
   */
  public CompletableFuture<Duration> acceptClock() {
    return calls
        .call(new LeaderRequest.AcceptClock(), settings.lease())
        .handle(
            (response, failure) -> {
              if (response instanceof LeaderResponse.ClockAccepted accepted) {
                return Duration.ofMillis(accepted.advancedMillis());
              }
              throw LeaderCalls.writeFailure(response, failure);
            });
  }

  /** Returns the level at which this node writes. */
  public ClusterLevel level() {
    return level;
  }

  /** Returns the level of the cluster and what its members support, as this node knows them. */
  public LevelStatus levelStatus() {
    return LevelStatus.of(metadata.view());
  }

  /**
   * Raises the level of the cluster. Fails like {@link #write}, and with {@link
   * MembershipException} if a member does not support the level.
   *
   * @param target the new level; 0 for the highest that all members support
   * @return the level; equal to the previous one if the cluster already had it
   */
  public CompletableFuture<Integer> raiseLevel(int target) {
    return calls
        .call(new LeaderRequest.RaiseLevel(target), settings.lease())
        .handle(
            (response, failure) -> {
              if (response instanceof LeaderResponse.LevelRaised raised) {
                return CompletableFuture.completedFuture(raised.level());
              }
              return CompletableFuture.<Integer>failedFuture(
                  response instanceof LeaderResponse.Refused refused
                      ? new MembershipException(refused.reason())
                      : LeaderCalls.writeFailure(response, failure));
            })
        .thenCompose(Function.identity());
  }

  /**
   * Returns whether the wall clock is ahead of cluster time by more than {@link
   * MembershipSettings#maxClockAdvance}.
   */
  public boolean isClockFarAhead() {
    return clock.clock().wallAheadMillis() > settings.maxClockAdvance().toMillis();
  }

  /**
   * Returns the cluster clock. The clocks of two nodes differ by at most the round-trip time of
   * their messages.
   */
  public ClusterClock clock() {
    return clock.clock();
  }

  @Override
  public NodeId self() {
    return identity.node();
  }

  @Override
  public long incarnation() {
    return incarnations.incarnation();
  }

  @Override
  public Members members() {
    return members.members();
  }

  /** Returns the metadata version that this node and all its listeners have applied. */
  public long appliedVersion() {
    return members.appliedVersion();
  }

  /** Returns the live members that have not responded to this node recently, ordered by id. */
  public List<NodeId> unreachable() {
    Set<NodeId> unreachable = incarnations.unreachable();
    return members.members().byNode().values().stream()
        .filter(member -> member.isAlive() && unreachable.contains(member.node()))
        .map(Member::node)
        .toList();
  }

  @Override
  public void watch(MembershipListener listener) {
    members.watch(listener);
  }

  @Override
  public boolean isServing() {
    return incarnations.isServing();
  }

  /**
   * Returns the time until the lease of this node expires unless it is renewed; 0 if it is not
   * valid. Thread-safe.
   */
  public Duration leaseRemaining() {
    return Duration.ofMillis(incarnations.leaseRemainingMillis());
  }

  @Override
  public @Nullable String notServingReason() {
    return incarnations.notServingReason();
  }

  @Override
  public CompletableFuture<WriteResult> write(List<Change> batch) {
    CompletableFuture<WriteResult> result = new CompletableFuture<>();
    calls
        .call(new LeaderRequest.Write(batch), settings.lease())
        .whenComplete(
            (response, failure) -> {
              if (response instanceof LeaderResponse.Written written) {
                result.complete(written.result());
              } else {
                result.completeExceptionally(LeaderCalls.writeFailure(response, failure));
              }
            });
    return result;
  }

  /**
   * Stops serving and marks this node DOWN, so that no node waits for its lease to expire or for
   * its closing replicas. Must be called when the node has no more clients, before its replicas
   * close. Blocks for two seconds at most; further calls do nothing.
   */
  public void leaveService() {
    exit.leave();
  }

  /**
   * {@linkplain #leaveService Leaves service} if it has not done so yet, removes this node from the
   * cluster if it was decommissioned, and closes the replica of the metadata. Blocks, but waits for
   * other nodes for a few seconds at most.
   */
  @Override
  public void close() {
    exit.leave();
    exit.removeIfRequested();
    if (timers instanceof ThreadTimers thread) {
      thread.close();
    }
    metadata.close();
  }
}
