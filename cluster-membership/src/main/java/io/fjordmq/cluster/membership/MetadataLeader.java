package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.LeaderAnswer.Failed;
import io.fjordmq.cluster.membership.LeaderAnswer.KnownIncarnation;
import io.fjordmq.cluster.membership.LeaderAnswer.NotLeader;
import io.fjordmq.cluster.membership.LeaderAnswer.NotRenewed;
import io.fjordmq.cluster.membership.LeaderAnswer.Registered;
import io.fjordmq.cluster.membership.LeaderAnswer.Renewed;
import io.fjordmq.cluster.membership.LeaderAnswer.Written;
import io.fjordmq.cluster.membership.LeaderRequest.Registration;
import io.fjordmq.cluster.membership.LeaderRequest.Renewal;
import io.fjordmq.cluster.membership.LeaderRequest.Write;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.ClusterRecord;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.cluster.metadata.NodeRecord;
import io.fjordmq.cluster.metadata.StartRecord;
import io.fjordmq.cluster.metadata.WriteResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
  private final String clusterId;
  private final MetadataGroup metadata;
  private final MembershipSettings settings;
  private final SerialTimers timers;
  private final ClusterClock clock;
  private final String env;
  private final StartFence fence;
  private @Nullable LeaderTerm leaderTerm;
  private long tickedMillis;
  private MetadataView seen;
  private Members membersSeen;

  /** The state of one term as leader. */
  private static final class LeaderTerm {
    final long term;
    final LeaseTable leases;
    final ClockVotes clocks;
    final ReachabilityReports reachability;
    final Set<NodeId> markingDown = new HashSet<>();
    boolean changingReplicas;
    boolean handingOver;

    LeaderTerm(long term, LeaseTable leases, ClockVotes clocks, ReachabilityReports reachability) {
      this.term = term;
      this.leases = leases;
      this.clocks = clocks;
      this.reachability = reachability;
    }
  }

  MetadataLeader(
      NodeIdentity self,
      MetadataGroup metadata,
      MembershipSettings settings,
      SerialTimers timers,
      ClusterClock clock,
      String env,
      StartFence fence) {
    this.fence = fence;
    this.env = env;
    this.self = self.node();
    this.clusterId = self.clusterId();
    this.metadata = metadata;
    this.settings = settings;
    this.timers = timers;
    this.clock = clock;
    this.seen = metadata.view();
    this.membersSeen = MemberView.of(seen);
  }

  /** Must be called before every action, because state of an earlier term is not valid any more. */
  private void leadershipChanged() {
    Leadership leadership = metadata.leadership();
    if (!leadership.leading()) {
      leaderTerm = null;
    } else if (leaderTerm == null || leaderTerm.term != leadership.term()) {
      long now = timers.nowMillis();
      ClockVotes clocks = new ClockVotes(clock, settings.lease().toMillis(), now);
      ReachabilityReports reports = new ReachabilityReports(self, settings.lease().toMillis());
      leaderTerm =
          new LeaderTerm(leadership.term(), new LeaseTable(settings, now), clocks, reports);
    }
  }

  /** Cached, because the members are needed for every renewal but rarely change. */
  private Members membersOf(MetadataView view) {
    if (view != seen) {
      seen = view;
      membersSeen = MemberView.of(view);
    }
    return membersSeen;
  }

  /** Checks leases and replicas periodically. Must be called once. */
  void tick() {
    long pause = settings.heartbeat().toMillis() / TICKS_PER_HEARTBEAT;
    timers.schedule(pause, this::tick);
    long now = timers.nowMillis();
    long stalled = now - tickedMillis - pause;
    tickedMillis = now;
    leadershipChanged();
    LeaderTerm current = leaderTerm;
    if (current == null) {
      return;
    }
    if (stalled > settings.heartbeat().toMillis()) {
      // Renewals that arrived in the meantime have not been handled.
      current.leases.extendAll(now);
    }
    Members members = membersOf(metadata.view());
    for (Member member : members.byNode().values()) {
      // A single node that was suspended for a while continues without a new incarnation.
      boolean counts = !members.isAlone(self) && member.isAlive();
      if (counts && current.leases.hasExpired(member, now)) {
        writeDown(current, member.node());
      }
    }
    if (clock.isKnown()) {
      current.clocks.correct(now);
    }
    arrangeReplicas(current, members);
    handOver(current, members);
  }

  /**
   * A node that is draining, was removed or has disk trouble leads the metadata only if no UP voter
   * can.
   */
  private void handOver(LeaderTerm current, Members members) {
    Member me = members.find(self);
    boolean removed = members.removed().containsKey(self);
    String state = removed ? "REMOVED" : me == null ? "UP" : me.state().name();
    if (state.equals("UP") || current.handingOver) {
      return;
    }
    metadata.status().replicas().voters().stream()
        .map(members::find)
        .filter(voter -> voter != null && voter.state() == Member.State.UP)
        .map(Member::node)
        .min(Comparator.comparing(NodeId::value))
        .ifPresent(
            target -> {
              current.handingOver = true;
              LOG.info("Transferring metadata leadership target={} state={}", target, state);
              metadata
                  .transferLeadership(target)
                  .whenCompleteAsync(
                      (done, failure) -> current.handingOver = false,
                      later -> timers.schedule(settings.lease().toMillis(), later));
            });
  }

  private void writeDown(LeaderTerm current, NodeId node) {
    MetadataRecord record = metadata.view().get(NodeRecord.key(node));
    if (record == null || !current.markingDown.add(node)) {
      return;
    }
    byte[] down = NodeRecord.decode(record).in(NodeRecord.State.DOWN).encode();
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

  private void arrangeReplicas(LeaderTerm current, Members members) {
    if (current.changingReplicas) {
      return;
    }
    ReplicaSet replicas = metadata.status().replicas();
    NodeId successor = MetadataReplicas.successor(replicas, members, self);
    if (successor != null) {
      LOG.info(
          "Decommissioning this node: transferring metadata leadership successor={}", successor);
      whileChanging(current, metadata.transferLeadership(successor));
      return;
    }
    ReplicaSet target = MetadataReplicas.next(replicas, members, self);
    if (target != null) {
      LOG.info("Changing the metadata replicas from={} to={}", replicas, target);
      whileChanging(current, metadata.changeReplicas(target));
    }
  }

  private void whileChanging(LeaderTerm current, CompletableFuture<Void> change) {
    current.changingReplicas = true;
    change.whenCompleteAsync(
        (done, failure) -> {
          if (failure != null) {
            LOG.warn(
                "Cannot change the metadata replicas, retrying: {}", cause(failure).getMessage());
          }
          timers.schedule(
              failure == null ? 0 : settings.retryPause().toMillis(),
              () -> current.changingReplicas = false);
        },
        timers);
  }

  /** Handles a request of this node or another one; on any thread. */
  CompletableFuture<LeaderAnswer> handle(NodeId from, LeaderRequest request) {
    return CompletableFuture.supplyAsync(() -> answer(from, request), timers)
        .thenCompose(answer -> answer)
        .exceptionally(MetadataLeader::failed);
  }

  private CompletableFuture<LeaderAnswer> answer(NodeId from, LeaderRequest request) {
    leadershipChanged();
    LeaderTerm current = leaderTerm;
    if (current == null) {
      return CompletableFuture.completedFuture(notLeader());
    }
    if (membersOf(metadata.view()).removed().containsKey(from)) {
      return CompletableFuture.completedFuture(new LeaderAnswer.Removed());
    }
    if (request instanceof Renewal renewal) {
      return renew(current, from, renewal);
    }
    if (request instanceof Registration registration) {
      return register(current, from, registration);
    }
    return write(current, from, ((Write) request).batch());
  }

  private CompletableFuture<LeaderAnswer> write(
      LeaderTerm current, NodeId from, List<Change> batch) {
    Members members = membersOf(metadata.view());
    String why =
        Admission.asksToBeCounted(from, members, batch)
            ? current.reachability.whyNotCounted(from, members, timers.nowMillis())
            : null;
    return why == null
        ? metadata.write(current.term, batch).thenApply(Written::new)
        : CompletableFuture.completedFuture(new Failed(ConsensusException.Kind.BUSY, why));
  }

  private NotLeader notLeader() {
    NodeId leader = metadata.leadership().leader();
    return new NotLeader(self.equals(leader) ? null : leader);
  }

  private static Failed failed(Throwable failure) {
    Throwable cause = cause(failure);
    return cause instanceof ConsensusException e
        ? new Failed(e.kind(), String.valueOf(e.getMessage()))
        : new Failed(ConsensusException.Kind.OUTCOME_UNKNOWN, cause.toString());
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private CompletableFuture<LeaderAnswer> renew(LeaderTerm current, NodeId from, Renewal renewal) {
    MetadataView view = metadata.view();
    LeaderAnswer refusal = refusal(current, view, from, renewal);
    current.clocks.onReport(from, renewal.clock(), timers.nowMillis());
    if (!current.clocks.decide(metadata.status().replicas().voters(), timers.nowMillis())) {
      refusal = refusal == null ? new NotRenewed("cluster time is not known yet") : refusal;
    }
    if (refusal == null) {
      refusal = current.reachability.onRenewal(from, renewal, membersOf(view), timers.nowMillis());
    }
    if (refusal == null
        && !current.leases.renew(
            from, renewal.incarnation(), renewal.applied(), view.version(), timers.nowMillis())) {
      refusal = new NotRenewed("its metadata are too far behind, at version " + renewal.applied());
    }
    if (refusal != null) {
      return CompletableFuture.completedFuture(refusal);
    }
    // Granted only if this node still leads after the renewal was received.
    return metadata
        .readView()
        .thenApplyAsync(confirmed -> grant(current, confirmed, from, renewal), timers);
  }

  private LeaderAnswer grant(
      LeaderTerm current, MetadataView confirmed, NodeId from, Renewal renewal) {
    LeaderAnswer refusal = refusal(current, confirmed, from, renewal);
    if (refusal != null) {
      return refusal;
    }
    return leaderTerm == current
        ? new Renewed(current.leases.appliedByAll(membersOf(confirmed)), clock.millis())
        : notLeader();
  }

  private @Nullable LeaderAnswer refusal(
      LeaderTerm current, MetadataView view, NodeId from, Renewal renewal) {
    Member member = membersOf(view).find(from);
    if (member == null || member.incarnation() < renewal.incarnation()) {
      return new NotRenewed("not registered");
    }
    if (member.incarnation() > renewal.incarnation() || !member.isAlive()) {
      return new KnownIncarnation(member.incarnation());
    }
    return current.markingDown.contains(from)
        ? new NotRenewed("it had already expired; the node is being marked DOWN")
        : null;
  }

  private CompletableFuture<LeaderAnswer> register(
      LeaderTerm current, NodeId from, Registration registration) {
    MetadataView view = metadata.view();
    MetadataRecord record = view.get(NodeRecord.key(from));
    long known = record == null ? 0 : NodeRecord.decode(record).incarnation();
    if (known != registration.known()) {
      return CompletableFuture.completedFuture(new KnownIncarnation(known));
    }
    StartStamp start = fence.latest(from);
    StartRecord.all(view).forEach(fence::registered); // this node may have just become leader
    if (!Objects.equals(start, fence.latest(from))) {
      String why = "a later start of node %s is registered".formatted(from);
      return CompletableFuture.completedFuture(new Failed(ConsensusException.Kind.BUSY, why));
    }
    List<Change> batch = new ArrayList<>();
    if (ClusterRecord.of(view) == null) {
      ClusterRecord made = new ClusterRecord(clusterId, clock.millis(), env);
      batch.add(Change.put(ClusterRecord.KEY, made.encode(), Change.ABSENT));
    }
    NodeAddress address = registration.address();
    NodeRecord starting = new NodeRecord(from, address, known + 1, NodeRecord.State.STARTING);
    long expected = record == null ? Change.ABSENT : record.version();
    // Starts the lease before the write, because the record may be applied before the first
    // renewal.
    current.leases.begin(from, known + 1, view.version(), timers.nowMillis());
    batch.add(Change.put(NodeRecord.key(from), starting.encode(), expected));
    if (start != null && start.count() > 0) {
      batch.add(StartRecord.put(from, start, view));
    }
    return metadata
        .write(current.term, batch)
        .thenApply(
            result -> {
              if (result instanceof WriteResult.Applied applied) {
                LOG.info(
                    "Registered node as STARTING node={} address={} incarnation={}",
                    from,
                    address,
                    known + 1);
                return new Registered(known + 1, applied.version());
              }
              return new Failed(
                  ConsensusException.Kind.BUSY, "the record of the node was changed concurrently");
            });
  }
}
