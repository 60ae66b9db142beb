package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.membership.LeaderRequest.AcceptClock;
import io.fjordmq.cluster.membership.LeaderRequest.RaiseLevel;
import io.fjordmq.cluster.membership.LeaderRequest.Registration;
import io.fjordmq.cluster.membership.LeaderRequest.Renewal;
import io.fjordmq.cluster.membership.LeaderRequest.Write;
import io.fjordmq.cluster.membership.LeaderResponse.Failed;
import io.fjordmq.cluster.membership.LeaderResponse.KnownIncarnation;
import io.fjordmq.cluster.membership.LeaderResponse.NotLeader;
import io.fjordmq.cluster.membership.LeaderResponse.NotRenewed;
import io.fjordmq.cluster.membership.LeaderResponse.Renewed;
import io.fjordmq.cluster.membership.LeaderResponse.Written;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.cluster.metadata.NodeRecord;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.common.OperationException;
import io.fjordmq.common.Timers;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The duties of this node while it leads the metadata group: it registers nodes, renews leases,
 * marks nodes DOWN whose lease has expired, and maintains the replica set of the metadata. Runs on
 * the membership thread, except {@link #handle}, which hands over to it.
 */
final class MetadataLeader {
  private static final Logger LOG = LoggerFactory.getLogger(MetadataLeader.class);
  private static final int TICKS_PER_HEARTBEAT = 5;

  private final NodeId self;
  private final MetadataGroup metadata;
  private final MembershipSettings settings;
  private final Timers timers;
  private final ClusterClock clock;
  private final NodeRegistry registry;
  private final LevelUpdater level;
  private @Nullable LeaderTerm leaderTerm;
  private long nextTickMillis;
  private MetadataView cachedView;
  private Members cachedMembers;

  /** The state of one term as leader. */
  private static final class LeaderTerm {
    final long term;
    final LeaseTable leases;
    final ClockVotes clocks;
    final ReachabilityReports reachability;
    final Set<NodeId> markingDown = new HashSet<>();
    final MetadataReplicaUpdater replicas;

    LeaderTerm(
        long term,
        LeaseTable leases,
        ClockVotes clocks,
        ReachabilityReports reachability,
        MetadataReplicaUpdater replicas) {
      this.term = term;
      this.leases = leases;
      this.clocks = clocks;
      this.reachability = reachability;
      this.replicas = replicas;
    }
  }

  MetadataLeader(
      NodeIdentity self,
      MetadataGroup metadata,
      MembershipSettings settings,
      Timers timers,
      ClusterClock clock,
      String env,
      StartFence fence) {
    this.self = self.node();
    this.metadata = metadata;
    this.settings = settings;
    this.timers = timers;
    this.clock = clock;
    this.registry = new NodeRegistry(self.clusterId(), env, metadata, timers, clock, fence);
    this.level = new LevelUpdater(metadata, settings, clock, timers);
    this.nextTickMillis = timers.nowMillis();
    this.cachedView = metadata.view();
    this.cachedMembers = MemberView.of(cachedView);
  }

  /**
   * Must be called before every action, because the state of an earlier term is no longer valid.
   */
  private void refreshLeaderTerm() {
    Leadership leadership = metadata.leadership();
    if (!leadership.leading()) {
      leaderTerm = null;
    } else if (leaderTerm == null || leaderTerm.term != leadership.term()) {
      long now = timers.nowMillis();
      ClockVotes clocks = new ClockVotes(clock, settings.lease().toMillis(), now);
      ReachabilityReports reports = new ReachabilityReports(self, settings.lease().toMillis());
      leaderTerm =
          new LeaderTerm(
              leadership.term(),
              new LeaseTable(settings, now),
              clocks,
              reports,
              new MetadataReplicaUpdater(self, metadata, settings, timers));
    }
  }

  /**
   * Returns the members in the view. They are cached, because every renewal needs them but they
   * rarely change.
   */
  private Members membersOf(MetadataView view) {
    if (view != cachedView) {
      cachedView = view;
      cachedMembers = MemberView.of(view);
    }
    return cachedMembers;
  }

  /**
   * Checks leases and replicas periodically; rarely while another node leads, because a term also
   * begins with the first renewal. Must be called once.
   */
  void tick() {
    long heartbeat = settings.heartbeat().toMillis();
    long now = timers.nowMillis();
    long stalled = now - nextTickMillis;
    refreshLeaderTerm();
    LeaderTerm current = leaderTerm;
    long pause = current == null ? heartbeat : heartbeat / TICKS_PER_HEARTBEAT;
    nextTickMillis = now + pause;
    timers.schedule(pause, this::tick);
    if (current == null) {
      return;
    }
    if (stalled > settings.heartbeat().toMillis()) {
      // Renewals that arrived in the meantime have not been handled.
      current.leases.extendAll(now);
    }
    Members members = membersOf(metadata.view());
    for (Member member : members.byNode().values()) {
      // If the only member was suspended for a while, it continues without a new incarnation.
      boolean canExpire = !members.isOnlyMember(self) && member.isAlive();
      if (canExpire && current.leases.hasExpired(member, now)) {
        markDown(current, member.node());
      }
    }
    if (clock.isKnown()) {
      current.clocks.correct(now);
      level.adjust(current.term);
    }
    current.replicas.adjust(members);
    current.replicas.handOver(members);
  }

  private void markDown(LeaderTerm current, NodeId node) {
    MetadataRecord record = metadata.view().get(NodeRecord.key(node));
    if (record == null || !current.markingDown.add(node)) {
      return;
    }
    byte[] down = NodeRecord.decode(record).withState(NodeRecord.State.DOWN).encode();
    List<Change> batch = List.of(Change.put(record.key(), down, record.version()));
    metadata
        .write(current.term, batch)
        .whenCompleteAsync(
            (result, failure) -> {
              current.markingDown.remove(node);
              if (result instanceof WriteResult.Applied) {
                LOG.warn(
                    "Marked node DOWN: its lease expired node={} leaseMs={}",
                    node,
                    settings.lease().toMillis());
              }
            },
            timers);
  }

  /** Handles a request from this node or another one. May be called on any thread. */
  CompletableFuture<LeaderResponse> handle(NodeId from, LeaderRequest request) {
    return CompletableFuture.supplyAsync(() -> respond(from, request), timers)
        .thenCompose(response -> response)
        .exceptionally(MetadataLeader::failureResponse);
  }

  private CompletableFuture<LeaderResponse> respond(NodeId from, LeaderRequest request) {
    refreshLeaderTerm();
    LeaderTerm current = leaderTerm;
    if (current == null) {
      return CompletableFuture.completedFuture(notLeader());
    }
    if (membersOf(metadata.view()).removed().containsKey(from)) {
      return CompletableFuture.completedFuture(new LeaderResponse.Removed());
    }
    if (request instanceof Renewal renewal) {
      return renew(current, from, renewal);
    }
    if (request instanceof Registration registration) {
      return registry.register(current.term, current.leases, from, registration);
    }
    if (request instanceof AcceptClock) {
      return acceptClock(current);
    }
    if (request instanceof RaiseLevel raise) {
      return raiseLevel(current, raise.level());
    }
    return write(current, from, ((Write) request).batch());
  }

  private CompletableFuture<LeaderResponse> write(
      LeaderTerm current, NodeId from, List<Change> batch) {
    Members members = membersOf(metadata.view());
    String reason =
        Admission.isAdmissionRequest(from, members, batch)
            ? current.reachability.notCountedReason(from, members, timers.nowMillis())
            : null;
    return reason == null
        ? metadata.write(current.term, batch).thenApply(Written::new)
        : CompletableFuture.completedFuture(new Failed(ConsensusException.Kind.BUSY, reason));
  }

  private CompletableFuture<LeaderResponse> acceptClock(LeaderTerm current) {
    Set<NodeId> voters = metadata.status().replicas().voters();
    return metadata
        .readView() // this node still leads
        .thenApplyAsync(
            confirmed ->
                leaderTerm == current
                    ? current.clocks.acceptWallClock(voters, timers.nowMillis())
                    : notLeader(),
            timers);
  }

  private CompletableFuture<LeaderResponse> raiseLevel(LeaderTerm current, int target) {
    return clock.isKnown()
        ? level.raise(current.term, target)
        : CompletableFuture.completedFuture(
            new Failed(ConsensusException.Kind.BUSY, "cluster time is not known yet"));
  }

  private NotLeader notLeader() {
    NodeId leader = metadata.leadership().leader();
    return new NotLeader(self.equals(leader) ? null : leader);
  }

  private static Failed failureResponse(Throwable failure) {
    Throwable cause = OperationException.unwrap(failure);
    return cause instanceof ConsensusException e
        ? new Failed(e.kind(), String.valueOf(e.getMessage()))
        : new Failed(ConsensusException.Kind.OUTCOME_UNKNOWN, cause.toString());
  }

  private CompletableFuture<LeaderResponse> renew(
      LeaderTerm current, NodeId from, Renewal renewal) {
    MetadataView view = metadata.view();
    LeaderResponse refusal = refusal(current, view, from, renewal);
    current.clocks.onReport(from, renewal.clock(), timers.nowMillis());
    if (!current.clocks.decide(metadata.status().replicas().voters(), timers.nowMillis())) {
      refusal = refusal == null ? new NotRenewed("cluster time is not known yet") : refusal;
    }
    if (refusal == null) {
      refusal = current.reachability.onRenewal(from, renewal, membersOf(view), timers.nowMillis());
    }
    if (refusal == null
        && !current.leases.renew(
            from,
            renewal.incarnation(),
            renewal.appliedVersion(),
            view.version(),
            timers.nowMillis())) {
      refusal =
          new NotRenewed("the node's metadata lags behind, at version " + renewal.appliedVersion());
    }
    if (refusal != null) {
      return CompletableFuture.completedFuture(refusal);
    }
    // The lease is granted only if this node still leads after it has received the renewal.
    return metadata
        .readView()
        .thenApplyAsync(confirmed -> grant(current, confirmed, from, renewal), timers);
  }

  private LeaderResponse grant(
      LeaderTerm current, MetadataView confirmed, NodeId from, Renewal renewal) {
    LeaderResponse refusal = refusal(current, confirmed, from, renewal);
    if (refusal != null) {
      return refusal;
    }
    return leaderTerm == current
        ? new Renewed(current.leases.appliedByAll(membersOf(confirmed)), clock.millis())
        : notLeader();
  }

  private @Nullable LeaderResponse refusal(
      LeaderTerm current, MetadataView view, NodeId from, Renewal renewal) {
    Member member = membersOf(view).find(from);
    if (member == null || member.incarnation() < renewal.incarnation()) {
      return new NotRenewed("not registered");
    }
    if (member.incarnation() > renewal.incarnation() || !member.isAlive()) {
      return new KnownIncarnation(member.incarnation());
    }
    return current.markingDown.contains(from)
        ? new NotRenewed("the lease had already expired; the node is being marked DOWN")
        : null;
  }
}
