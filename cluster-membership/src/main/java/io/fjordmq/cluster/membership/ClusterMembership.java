package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.ClusterRecord;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataSettings;
import io.fjordmq.cluster.metadata.MetadataStorage;
import io.fjordmq.cluster.metadata.NodeRecord;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.cluster.peer.PeerNetwork;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
 *   <li>{@link io.fjordmq.cluster.peer.PeerPort#open}, with {@link NodeAddresses#ofPeers}
 *   <li>{@link io.fjordmq.cluster.consensus.JRaftHost#open}, on the port after it, with {@link
 *       NodeAddresses#ofRaft}
 *   <li>{@link #open}, which has the node registered when it returns
 *   <li>what is above opens, {@linkplain #watch watches}, serves
 *   <li>{@link #ready}: from now on the node may be admitted
 * </ol>
 */
public final class ClusterMembership implements Membership, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterMembership.class);
  private static final long REPORT_SECONDS = 10;
  private static final long LEAVE_SECONDS = 1;

  private final NodeIdentity identity;
  private final MetadataGroup metadata;
  private final MembershipSettings settings;
  private final MemberView members = new MemberView();
  private final SerialTimers timers;
  private final LeaderCalls calls;
  private final Life life;
  private volatile boolean goesForGood;

  /** Of this node's record, by itself: its own replica may be behind. */
  private volatile Written lastWritten = new Written(0, NodeRecord.State.UP);

  private record Written(long version, NodeRecord.State state) {}

  private ClusterMembership(
      NodeIdentity identity,
      MetadataGroup metadata,
      MembershipSettings settings,
      SerialTimers timers,
      LeaderCalls calls,
      NodeAddress address) {
    this.identity = identity;
    this.metadata = metadata;
    this.settings = settings;
    this.timers = timers;
    this.calls = calls;
    this.life = new Life(identity.node(), address, members, calls, settings, timers);
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
      JoinSettings join,
      MembershipSettings settings,
      Executor disk)
      throws MembershipException, ConsensusException, IOException, InterruptedException {
    InstantSource wallClock = InstantSource.system();
    new Joining(join, peers, wallClock).createReplica(identity, host, addresses);
    MetadataGroup metadata = MetadataGroup.open(host, storage, metadataSettings, disk);
    ThreadTimers thread = new ThreadTimers("membership");
    try {
      ClusterMembership membership =
          start(identity, metadata, peers, addresses, join, settings, wallClock, thread);
      membership.awaitRegistration();
      membership.requireOneCluster(join.env());
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
      SerialTimers timers) {
    NodeId self = identity.node();
    MetadataLeader leader =
        new MetadataLeader(identity, metadata, settings, timers, wallClock, join.env());
    LeaderCalls calls =
        new LeaderCalls(self, metadata, peers, addresses, request -> leader.handle(self, request));
    ClusterMembership made =
        new ClusterMembership(identity, metadata, settings, timers, calls, join.address());
    made.members.watch(
        new MembershipListener() {
          @Override
          public void changed(Members members) {
            addresses.written(members);
            timers.execute(made.life::membersChanged);
          }
        });
    metadata.watch(made.members);
    peers.serve(
        LeaderCalls.SERVICE,
        (from, request) ->
            leader.handle(from, LeaderRequest.decode(request)).thenApply(LeaderAnswer::encode));
    Clocks clocks = new Clocks(wallClock);
    Introductions introductions =
        new Introductions(
            identity, join, peers, metadata, addresses, made.life::hasLease, clocks, timers);
    timers.execute(leader::tick);
    timers.execute(introductions::begin);
    timers.execute(made.life::begin);
    return made;
  }

  /** Then what this start may have to know of others, and who was removed, is known here. */
  private void awaitRegistration() throws InterruptedException, MembershipException {
    while (true) {
      try {
        long version = life.registered().get(REPORT_SECONDS, TimeUnit.SECONDS);
        members.reached(version).get(REPORT_SECONDS, TimeUnit.SECONDS);
        return;
      } catch (TimeoutException e) {
        LOG.warn(
            "still waiting: {}; the metadata are held by {}",
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

  private void requireOneCluster(String env) throws MembershipException {
    ClusterRecord cluster = ClusterRecord.of(metadata.view());
    if (cluster != null && !cluster.id().equals(identity.clusterId())) {
      throw new MembershipException(
          "the data directory mixes two clusters: node.id says %s, the metadata %s; restore both from the same backup"
              .formatted(identity.clusterId(), cluster.id()));
    }
    if (cluster != null && !cluster.env().isEmpty() && !cluster.env().equals(env)) {
      throw new MembershipException(
          "clusterConfig.env is '%s', but this node belongs to cluster %s of env '%s': set clusterConfig.env to that; a cluster keeps the env of its first node"
              .formatted(env, cluster.id(), cluster.env()));
    }
  }

  /** This node's replica of the metadata, to read; write by {@link #write}. */
  public MetadataGroup metadata() {
    return metadata;
  }

  /** Everything on this node is there: it may be admitted from now on. To be called once. */
  public void ready() {
    timers.execute(life::ready);
  }

  /**
   * Asks the cluster to take from this node what it leads, because it is about to stop, or to count
   * on it again. Fails as {@link #write} does, and with {@code BUSY} if its record changed
   * meanwhile; can be repeated.
   */
  public CompletableFuture<Void> drain(boolean draining) {
    if (draining && isIn(Member.State.LEAVING)) {
      return CompletableFuture.completedFuture(null); // that is more
    }
    return writeState(draining ? NodeRecord.State.DRAINING : NodeRecord.State.UP);
  }

  /**
   * Tells the cluster how this node's disk is: FULL, SLOW, or UP if well. Fails as {@link #drain}
   * does, and while the node is DRAINING or LEAVING; can be repeated. That it succeeds while this
   * node's own disk takes no writes shows that the others can go on without it.
   */
  public CompletableFuture<Void> condition(Member.State disk) {
    return isIn(Member.State.DRAINING) || isIn(Member.State.LEAVING)
        ? CompletableFuture.failedFuture(new ConsensusException(Kind.BUSY, "this node goes"))
        : writeState(NodeRecord.State.valueOf(disk.name()));
  }

  /**
   * Asks the cluster to take everything from this node, because it is about to go for good. Fails
   * as {@link #drain}; can be repeated. A later start takes it back.
   */
  public CompletableFuture<Void> leave() {
    return writeState(NodeRecord.State.LEAVING);
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
          .thenAccept(ClusterMembership::appliedVersion);
    } catch (MembershipException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private boolean isIn(Member.State state) {
    Written last = lastWritten;
    return last.version() > members.applied()
        ? last.state().name().equals(state.name())
        : members.members().in(state).contains(self());
  }

  private CompletableFuture<Void> writeState(NodeRecord.State state) {
    MetadataRecord record = metadata.view().get(NodeRecord.key(self()));
    NodeRecord now = record == null ? null : NodeRecord.decode(record);
    if (record == null
        || now == null
        || now.incarnation() != life.incarnation()
        || now.state() == NodeRecord.State.DOWN) {
      return CompletableFuture.failedFuture(
          new ConsensusException(Kind.BUSY, "this node is not UP at the moment"));
    }
    byte[] changed = now.in(state).encode();
    long expected = Math.max(record.version(), lastWritten.version());
    return write(List.of(Change.put(record.key(), changed, expected)))
        .thenAccept(result -> lastWritten = new Written(appliedVersion(result), state));
  }

  private static long appliedVersion(WriteResult result) {
    if (result instanceof WriteResult.Applied applied) {
      return applied.version();
    }
    throw new CompletionException(
        new ConsensusException(Kind.BUSY, "the node's record has just been changed"));
  }

  /**
   * Ends this life, so that the others go on without this node, its clients among them; the next
   * begins after {@link #resume}. Only for a node that they can go on without. Can be repeated.
   *
   * @param why in a sentence for the operator
   */
  public void rest(String why) {
    CompletableFuture.runAsync(() -> life.rest(why), timers)
        .thenCompose(rests -> writeState(NodeRecord.State.DOWN))
        .whenComplete(
            (written, failure) -> {
              if (failure != null) {
                LOG.info("rests without telling the cluster, which will notice: {}", failure);
              }
            });
  }

  /** After {@link #rest}: this node may live again. */
  public void resume() {
    timers.execute(life::resume);
  }

  @Override
  public NodeId self() {
    return identity.node();
  }

  @Override
  public long incarnation() {
    return life.incarnation();
  }

  @Override
  public Members members() {
    return members.members();
  }

  /** The version of the metadata that this node and all its listeners know. */
  public long applied() {
    return members.applied();
  }

  @Override
  public void watch(MembershipListener listener) {
    members.watch(listener);
  }

  @Override
  public boolean isServing() {
    return life.isServing();
  }

  @Override
  public @Nullable String notServingBecause() {
    return life.notServingBecause();
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
                result.completeExceptionally(whyNotWritten(answer, failure));
              }
            });
    return result;
  }

  private static ConsensusException whyNotWritten(
      @Nullable LeaderAnswer answer, @Nullable Throwable failure) {
    if (answer instanceof LeaderAnswer.Failed failed) {
      return new ConsensusException(failed.kind(), failed.why());
    }
    if (answer != null) {
      return new ConsensusException(
          Kind.NOT_LEADER, "no leader of the metadata is known at the moment");
    }
    boolean unsent =
        failure instanceof PeerException peer && peer.kind() == PeerException.Kind.NOT_SENT;
    return new ConsensusException(
        unsent ? Kind.NOT_LEADER : Kind.OUTCOME_UNKNOWN,
        "the leader of the metadata did not answer: " + failure);
  }

  /**
   * Stops serving and says so to the cluster, so that nobody waits for the lease to run out; then
   * closes the replica. Blocks, a second at most for the others.
   */
  @Override
  public void close() {
    try {
      CompletableFuture.runAsync(life::leave, timers)
          .thenCompose(left -> writeState(lastState()))
          .get(LEAVE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.info("stops without telling the cluster, which will notice: {}", e.toString());
    }
    if (timers instanceof ThreadTimers thread) {
      thread.close();
    }
    metadata.close();
  }

  private NodeRecord.State lastState() {
    boolean leaves = isIn(Member.State.LEAVING) && goesForGood;
    return leaves ? NodeRecord.State.REMOVED : NodeRecord.State.DOWN;
  }
}
