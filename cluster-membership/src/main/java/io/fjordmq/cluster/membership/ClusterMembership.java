package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataSettings;
import io.fjordmq.cluster.metadata.MetadataStorage;
import io.fjordmq.cluster.metadata.NodeRecord;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.cluster.peer.PeerNetwork;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node as a member of its cluster. What a node does at each start, whether it makes a cluster,
 * joins one or comes back:
 *
 * <ol>
 *   <li>{@link Joining#identify}, which asks the seeds if this is the first start
 *   <li>{@link NodeAddresses#open}, in the data directory
 *   <li>{@link io.fjordmq.cluster.StartFence#open}, which counts this start
 *   <li>{@link io.fjordmq.cluster.peer.PeerPort#open}, with {@link NodeAddresses#ofPeers}
 *   <li>{@link StartCheck#ask}
 *   <li>{@link io.fjordmq.cluster.consensus.JRaftHost#open}, on the port after it, with {@link
 *       NodeAddresses#ofRaft}
 *   <li>{@link #open}, which has the node registered as STARTING when it returns
 *   <li>what is above opens, {@linkplain #watch watches}, serves
 *   <li>{@link #ready}: from now on the node may be counted and admitted
 * </ol>
 */
public final class ClusterMembership implements Membership, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterMembership.class);
  private static final long REPORT_SECONDS = 10;
  private static final long LEAVE_MILLIS = 2_000;

  private final NodeIdentity identity;
  private final MetadataGroup metadata;
  private final MembershipSettings settings;
  private final MemberView members = new MemberView();
  private final SerialTimers timers;
  private final LeaderCalls calls;
  private final NodeLease nodeLease;
  private final LocalNodeRecord record;
  private final Departure departure;
  private final ClockWatch clock;
  private volatile boolean goesForGood;
  private volatile boolean hasGoneForGood;
  private final AtomicBoolean leftService = new AtomicBoolean();

  private ClusterMembership(
      NodeIdentity identity,
      MetadataGroup metadata,
      MembershipSettings settings,
      SerialTimers timers,
      LeaderCalls calls,
      PeerNetwork peers,
      NodeAddress address,
      ClockWatch clock) {
    this.identity = identity;
    this.metadata = metadata;
    this.settings = settings;
    this.timers = timers;
    this.calls = calls;
    this.clock = clock;
    this.nodeLease =
        new NodeLease(identity.node(), address, members, calls, peers, settings, timers, clock);
    this.record =
        new LocalNodeRecord(
            identity.node(), metadata, members, nodeLease::incarnation, this::write);
    this.departure = new Departure(record::write, timers);
  }

  /**
   * Creates this node's replica of the metadata if it has none, opens it, and registers this start
   * with the leader of the metadata, wherever that is. Blocks until then; if it takes long the log
   * says what is missing.
   *
   * @param host nothing of it may be open yet
   * @param storage of the metadata's checkpoints
   * @param peers serves nothing yet
   * @param disk runs what blocks on the disk
   * @throws MembershipException if this node is no member of the cluster as it is started; says why
   *     and what to do
   */
  public static ClusterMembership open(
      NodeIdentity identity,
      ConsensusHost host,
      MetadataStorage storage,
      MetadataSettings metadataSettings,
      PeerNetwork peers,
      NodeAddresses addresses,
      ClockFile clockFile,
      JoinSettings join,
      MembershipSettings settings,
      Executor disk)
      throws MembershipException, ConsensusException, IOException, InterruptedException {
    InstantSource wallClock = InstantSource.system();
    new Joining(join, peers, wallClock).createReplica(identity, host, addresses);
    MetadataGroup metadata = MetadataGroup.open(host, storage, metadataSettings, disk);
    ThreadTimers thread = new ThreadTimers("membership");
    clockFile.compare(wallClock.instant(), settings.clockTolerance().toMillis());
    try {
      ClusterMembership membership =
          start(identity, metadata, peers, addresses, join, settings, wallClock, clockFile, thread);
      membership.awaitRegistration();
      Joining.requireOneCluster(identity, metadata.view(), join.env());
      return membership;
    } catch (MembershipException | InterruptedException | RuntimeException e) {
      thread.close();
      metadata.close();
      throw e;
    }
  }

  /** As {@link #open} with a replica that is open already; does not wait. */
  static ClusterMembership start(
      NodeIdentity identity,
      MetadataGroup metadata,
      PeerNetwork peers,
      NodeAddresses addresses,
      JoinSettings join,
      MembershipSettings settings,
      InstantSource wallClock,
      ClockFile clockFile,
      SerialTimers timers) {
    NodeId self = identity.node();
    ClockWatch watch = ClockWatch.of(wallClock, timers, clockFile, settings);
    ClusterClock clock = watch.clock();
    MetadataLeader leader =
        new MetadataLeader(identity, metadata, settings, timers, clock, join.env(), peers.fence());
    LeaderCalls calls =
        new LeaderCalls(self, metadata, peers, addresses, request -> leader.handle(self, request));
    ClusterMembership made =
        new ClusterMembership(
            identity, metadata, settings, timers, calls, peers, join.address(), watch);
    made.members.watch(
        new MembershipListener() {
          @Override
          public void changed(Members members) {
            addresses.written(members);
            timers.execute(made.nodeLease::membersChanged);
          }
        });
    metadata.watch(made.members);
    metadata.watch(new StartWatch(peers.fence()));
    peers.fence().fenced().thenAcceptAsync(made.nodeLease::endPermanently, timers);
    peers.serve(
        LeaderCalls.SERVICE,
        (from, request) ->
            leader.handle(from, LeaderRequest.decode(request)).thenApply(LeaderAnswer::encode));
    AddressDiscovery addressDiscovery =
        new AddressDiscovery(
            identity, join, peers, metadata, addresses, made.nodeLease::hasLease, clock, timers);
    timers.execute(leader::tick);
    timers.execute(addressDiscovery::begin);
    timers.execute(made.nodeLease::begin);
    return made;
  }

  /** Then what this start may have to know of others, and who was removed, is known here. */
  private void awaitRegistration() throws InterruptedException, MembershipException {
    while (true) {
      try {
        long version = nodeLease.registered().get(REPORT_SECONDS, TimeUnit.SECONDS);
        members.reached(version).get(REPORT_SECONDS, TimeUnit.SECONDS);
        return;
      } catch (TimeoutException e) {
        LOG.warn(
            "Still waiting: {} metadataReplicas={}",
            notServingBecause(),
            metadata.status().replicas());
      } catch (ExecutionException e) {
        if (e.getCause() instanceof MembershipException refused) {
          throw refused;
        }
        throw new IllegalStateException(e);
      }
    }
  }

  /** This node's replica of the metadata, to read; write by {@link #write}. */
  public MetadataGroup metadata() {
    return metadata;
  }

  /** Everything on this node is there: it may be counted from now on. To be called once. */
  public void ready() {
    timers.execute(nodeLease::ready);
  }

  /**
   * Asks the cluster to take from this node what it leads, because it is about to stop, or to count
   * on it again. Fails as {@link #write} does, and with {@code BUSY} if its record changed
   * meanwhile; can be repeated.
   */
  public CompletableFuture<Void> drain(boolean draining) {
    if (draining && record.isIn(Member.State.LEAVING)) {
      return CompletableFuture.completedFuture(null); // that is more
    }
    return record.write(draining ? NodeRecord.State.DRAINING : NodeRecord.State.UP);
  }

  /**
   * Tells the cluster how this node's disk is: FULL, SLOW, or UP if well. Fails as {@link #drain}
   * does, and while the node is DRAINING or LEAVING; can be repeated. That it succeeds while this
   * node's own disk takes no writes shows that the others can go on without it.
   */
  public CompletableFuture<Void> condition(Member.State disk) {
    return record.isIn(Member.State.DRAINING) || record.isIn(Member.State.LEAVING)
        ? CompletableFuture.failedFuture(new ConsensusException(Kind.BUSY, "this node goes"))
        : record.write(NodeRecord.State.valueOf(disk.name()));
  }

  /**
   * Asks the cluster to take everything from this node, because it is about to go for good. Fails
   * as {@link #drain}; can be repeated. A later start takes it back.
   */
  public CompletableFuture<Void> leave() {
    return record.write(NodeRecord.State.LEAVING);
  }

  /** From now on {@link #close} says that this node has gone for good, if it is LEAVING. */
  public void goForGood() {
    goesForGood = true;
  }

  /**
   * Removes a node that is DOWN from the cluster, for ever. Fails as {@link #write} does, and with
   * {@link MembershipException} if there is no such node or it is not DOWN.
   */
  public CompletableFuture<Void> remove(NodeId node) {
    try {
      return write(List.of(Removal.of(node, self(), metadata, members.members())))
          .thenAccept(LocalNodeRecord::appliedVersion);
    } catch (MembershipException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Ends this life, so that the others go on without this node, its clients among them; the next
   * begins after {@link #resume}. Only for a node that they can go on without. Can be repeated.
   *
   * @param why in a sentence for the operator
   */
  public void rest(String why) {
    CompletableFuture.runAsync(() -> nodeLease.rest(why), timers)
        .thenCompose(rests -> record.write(NodeRecord.State.DOWN))
        .whenComplete(
            (written, failure) -> {
              if (failure != null) {
                LOG.info(
                    "Suspended without notifying the cluster; the lease expires instead: {}",
                    failure);
              }
            });
  }

  /** After {@link #rest}: this node may live again. */
  public void resume() {
    timers.execute(nodeLease::resume);
  }

  /** What time it is in the cluster, the same on all nodes but for the time that messages take. */
  public ClusterClock clock() {
    return clock.clock();
  }

  @Override
  public NodeId self() {
    return identity.node();
  }

  @Override
  public long incarnation() {
    return nodeLease.incarnation();
  }

  @Override
  public Members members() {
    return members.members();
  }

  /** The version of the metadata that this node and all its listeners know. */
  public long applied() {
    return members.applied();
  }

  /** The live members that have not answered this node lately, in the order of their names. */
  public List<NodeId> unreachable() {
    Set<NodeId> unreachable = nodeLease.unreachable();
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
    return nodeLease.isServing();
  }

  @Override
  public @Nullable String notServingBecause() {
    return nodeLease.notServingBecause();
  }

  @Override
  public CompletableFuture<WriteResult> write(List<Change> batch) {
    CompletableFuture<WriteResult> result = new CompletableFuture<>();
    calls
        .ask(new LeaderRequest.Write(batch), settings.lease())
        .whenComplete(
            (answer, failure) -> {
              if (answer instanceof LeaderAnswer.Written written) {
                result.complete(written.result());
              } else {
                result.completeExceptionally(LeaderCalls.whyNotWritten(answer, failure));
              }
            });
    return result;
  }

  /**
   * Stops serving and says DOWN to the cluster, so that nobody waits for the lease to run out, nor
   * for replicas that close. For a node without clients, before its replicas close. Blocks, two
   * seconds at most; the second call does nothing.
   */
  public void leaveService() {
    if (leftService.compareAndSet(false, true)) {
      hasGoneForGood = goesForGood && record.isIn(Member.State.LEAVING);
      CompletableFuture<Void> left = CompletableFuture.runAsync(nodeLease::leave, timers);
      reportState(left.thenRunAsync(clock::save, timers), NodeRecord.State.DOWN);
    }
  }

  private void reportState(CompletableFuture<Void> when, NodeRecord.State state) {
    try {
      when.thenCompose(now -> departure.write(state, LEAVE_MILLIS))
          .get(LEAVE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.info(
          "Stopping without notifying the cluster; the lease expires instead: {}", e.toString());
    }
  }

  /**
   * {@linkplain #leaveService Leaves the service} unless it has, and says it if this node has gone
   * for good; then closes the replica of the metadata. Blocks, seconds at most for the others.
   */
  @Override
  public void close() {
    leaveService();
    if (hasGoneForGood) {
      reportState(CompletableFuture.completedFuture(null), NodeRecord.State.REMOVED);
    }
    if (timers instanceof ThreadTimers thread) {
      thread.close();
    }
    metadata.close();
  }
}
