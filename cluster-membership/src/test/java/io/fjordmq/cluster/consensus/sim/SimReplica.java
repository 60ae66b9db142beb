package io.fjordmq.cluster.consensus.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.RaftMessage.AppendEntries;
import io.fjordmq.cluster.consensus.sim.RaftMessage.AppendEntriesReply;
import io.fjordmq.cluster.consensus.sim.RaftMessage.InstallSnapshot;
import io.fjordmq.cluster.consensus.sim.RaftMessage.RequestVote;
import io.fjordmq.cluster.consensus.sim.RaftMessage.TimeoutNow;
import io.fjordmq.cluster.consensus.sim.RaftMessage.Vote;
import io.fjordmq.cluster.consensus.sim.SimLog.Entry;
import io.fjordmq.cluster.consensus.sim.SimLog.HardState;
import io.fjordmq.testing.Simulation;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The Raft algorithm of one replica, after figure 2 of the Raft paper: elections, the log and
 * commitment. {@link SimLeader} handles the duties of a leader, {@link SimApplier} the committed
 * entries.
 *
 * <p>Beyond the paper: voters that hear a leader ignore candidates, and a leader that does not hear
 * a majority steps down, both within one election timeout.
 */
final class SimReplica {
  static final long HEARTBEAT_MILLIS = 60;
  static final long ELECTION_MILLIS = 300;

  /** Receives the events of the replica. */
  interface Listener {
    void onCommitted(long index);

    /** The entry and all later ones left the log without having been committed. */
    void onTruncated(long fromIndex);

    void onStepDown();

    void install(SimLog.Base snapshot, Path copy);

    /**
     * Exports a snapshot for a replica that is too far behind; null if that is currently
     * impossible.
     */
    @Nullable Snapshot export();
  }

  record Snapshot(SimLog.Base base, Path files) {}

  private final GroupId group;
  private final SimProcess process;
  private final SimDisk disk;
  private final SimNetwork network;
  private final SimLog log;
  private final RaftInvariants invariants;
  private final Listener listener;

  private @Nullable SimLeader leaderState;
  private @Nullable Set<NodeId> votes;
  private @Nullable NodeId leader;
  private long lastLeaderMessageMillis = Long.MIN_VALUE / 2;
  private long committed;
  private long durableIndex;
  private Simulation.@Nullable Scheduled electionTimer;
  private boolean stopped;
  private @Nullable LeadershipTransfer pendingTransfer;

  /** A leadership transfer by this replica, which no longer leads. */
  private record LeadershipTransfer(NodeId target, CompletableFuture<Void> done) {}

  SimReplica(
      GroupId group,
      SimProcess process,
      SimDisk disk,
      SimNetwork network,
      SimLog log,
      long applied,
      RaftInvariants invariants,
      Listener listener) {
    this.group = group;
    this.process = process;
    this.disk = disk;
    this.network = network;
    this.log = log;
    this.invariants = invariants;
    this.listener = listener;
    this.committed = Math.max(log.base().index(), applied);
    this.durableIndex = log.lastIndex();
  }

  void start() {
    disk.syncNow();
    restartElectionTimer();
  }

  void stop() {
    stopped = true;
    becomeFollower(null);
    endTransfer(null);
    if (electionTimer != null) {
      electionTimer.cancel();
    }
  }

  NodeId self() {
    return process.node();
  }

  SimLog log() {
    return log;
  }

  long term() {
    return log.hardState().term();
  }

  long committed() {
    return committed;
  }

  @Nullable NodeId leader() {
    return leader;
  }

  /** Null unless this replica believes that it leads. */
  @Nullable SimLeader leaderState() {
    return leaderState;
  }

  Simulation simulation() {
    return process.simulation();
  }

  SimProcess process() {
    return process;
  }

  Listener listener() {
    return listener;
  }

  void send(NodeId to, Object message) {
    network.send(address(self()), address(to), message);
  }

  SimNetwork.Address address(NodeId node) {
    return new SimNetwork.Address(node, "raft/" + group);
  }

  /** Appends to the local log and reports when it is durable. */
  void append(Entry entry) {
    log.append(entry);
    long term = term();
    long index = entry.index();
    disk.sync(
        process,
        () -> {
          if (!stopped && leaderState != null && term() == term) {
            durableIndex = Math.max(durableIndex, index);
            leaderState.onOwnLogDurable(durableIndex);
          }
        });
  }

  /** The index is known to be committed; it must be durable on this node. */
  void commit(long index) {
    if (index > committed) {
      for (long i = committed + 1; i <= index; i++) {
        invariants.onCommitted(self(), log.entry(i));
      }
      committed = index;
      listener.onCommitted(index);
    }
  }

  void receive(NodeId from, RaftMessage message) {
    if (message instanceof RequestVote request && !request.transfer() && hasLiveLeader()) {
      return;
    }
    if (message.term() > term()) {
      log.setHardState(new HardState(message.term(), null));
      becomeFollower(null);
    }
    if (message instanceof RequestVote request) {
      send(from, new Vote(term(), grantsVote(from, request)));
    } else if (message instanceof Vote vote) {
      countVote(from, vote);
    } else if (message instanceof AppendEntries append) {
      onAppend(from, append);
    } else if (message instanceof InstallSnapshot install) {
      onInstall(from, install);
    } else if (message instanceof AppendEntriesReply appended) {
      if (leaderState != null && appended.term() == term()) {
        leaderState.onAppendReply(from, appended);
      }
    } else if (message instanceof TimeoutNow now && now.term() == term()) {
      campaign(true);
    }
  }

  /** Stops leading or campaigning in this term. */
  void becomeFollower(@Nullable NodeId newLeader) {
    leader = newLeader;
    votes = null;
    if (leaderState != null) {
      SimLeader previous = leaderState;
      leaderState = null;
      previous.onEnded();
      listener.onStepDown();
      restartElectionTimer();
    }
  }

  /** The transfer ends with the first message from the next leader. */
  void onTransferStarted(NodeId target, CompletableFuture<Void> done) {
    pendingTransfer = new LeadershipTransfer(target, done);
    process.schedule(2 * ELECTION_MILLIS, () -> endTransfer(null));
  }

  private void endTransfer(@Nullable NodeId newLeader) {
    LeadershipTransfer ending = pendingTransfer;
    pendingTransfer = null;
    if (ending != null && ending.target.equals(newLeader)) {
      ending.done.complete(null);
    } else if (ending != null) {
      ending.done.completeExceptionally(
          new ConsensusException(
              Kind.OUTCOME_UNKNOWN, ending.target + " did not take over; leader: " + newLeader));
    }
  }

  private boolean hasLiveLeader() {
    return leader != null
        && (leaderState != null || simulation().now() - lastLeaderMessageMillis < ELECTION_MILLIS);
  }

  private void restartElectionTimer() {
    if (electionTimer != null) {
      electionTimer.cancel();
    }
    if (!stopped) {
      long delay = simulation().between(ELECTION_MILLIS, 2 * ELECTION_MILLIS);
      electionTimer = process.schedule(delay, () -> campaign(false));
    }
  }

  /** For a group that has had no election yet. */
  void campaignFirst() {
    if (term() <= 1) {
      campaign(false);
    }
  }

  private void campaign(boolean transfer) {
    restartElectionTimer();
    if (stopped || leaderState != null || !log.replicas().voters().contains(self())) {
      return;
    }
    leader = null;
    log.setHardState(new HardState(term() + 1, self().value()));
    votes = new HashSet<>();
    votes.add(self());
    for (NodeId voter : RaftInvariants.sorted(log.replicas().voters())) {
      if (!voter.equals(self())) {
        send(voter, new RequestVote(term(), log.lastIndex(), log.lastTerm(), transfer));
      }
    }
    leadIfElected();
  }

  private boolean grantsVote(NodeId candidate, RequestVote request) {
    if (request.term() < term()) {
      return false;
    }
    String votedFor = log.hardState().votedFor();
    boolean upToDate =
        request.lastTerm() > log.lastTerm()
            || (request.lastTerm() == log.lastTerm() && request.lastIndex() >= log.lastIndex());
    if (!upToDate || (votedFor != null && !votedFor.equals(candidate.value()))) {
      return false;
    }
    log.setHardState(new HardState(term(), candidate.value()));
    restartElectionTimer();
    return true;
  }

  private void countVote(NodeId from, Vote vote) {
    if (votes != null && vote.term() == term() && vote.granted()) {
      votes.add(from);
      leadIfElected();
    }
  }

  private void leadIfElected() {
    ReplicaSet replicas = log.replicas();
    if (votes == null || !SimLeader.isMajority(votes, replicas.voters())) {
      return;
    }
    votes = null;
    leader = self();
    invariants.onElected(self(), term());
    if (electionTimer != null) {
      electionTimer.cancel();
    }
    // As a follower it synced its log entry by entry; otherwise it does so now, before it reports
    // anything.
    disk.syncNow();
    durableIndex = log.lastIndex();
    leaderState = new SimLeader(this, durableIndex);
    leaderState.begin();
  }

  private boolean acceptLeader(NodeId from, long messageTerm) {
    if (messageTerm < term()) {
      send(from, new AppendEntriesReply(term(), false, log.lastIndex(), 0));
      return false;
    }
    if (leaderState != null) {
      throw new AssertionError("two leaders in term " + term() + ": " + from + ", " + self());
    }
    becomeFollower(from);
    endTransfer(from);
    lastLeaderMessageMillis = simulation().now();
    restartElectionTimer();
    return true;
  }

  private void onAppend(NodeId from, AppendEntries message) {
    if (!acceptLeader(from, message.term())) {
      return;
    }
    long known = Math.max(log.base().index(), message.previousIndex());
    if (message.previousIndex() >= log.base().index()
        && log.term(message.previousIndex()) != message.previousTerm()) {
      long retry = Math.min(log.lastIndex(), message.previousIndex() - 1);
      send(from, new AppendEntriesReply(term(), false, retry, message.round()));
      return;
    }
    long matched = Math.max(known, message.previousIndex() + message.entries().size());
    message.entries().stream().filter(e -> e.index() > log.base().index()).forEach(this::store);
    acknowledge(from, matched, message.committed(), message.round());
  }

  private void store(Entry entry) {
    if (log.term(entry.index()) == entry.term()) {
      return;
    }
    if (entry.index() <= log.lastIndex()) {
      if (entry.index() <= committed) {
        throw new AssertionError(
            self() + " was requested to drop committed entry " + entry.index());
      }
      log.truncateFrom(entry.index());
      durableIndex = Math.min(durableIndex, log.lastIndex());
      listener.onTruncated(entry.index());
    }
    log.append(entry);
  }

  private void acknowledge(NodeId from, long matched, long leaderCommitted, long round) {
    long term = term();
    disk.sync(
        process,
        () -> {
          if (!stopped && term() == term) {
            durableIndex = Math.max(durableIndex, matched);
            commit(Math.min(leaderCommitted, matched));
            send(from, new AppendEntriesReply(term, true, matched, round));
          }
        });
  }

  private void onInstall(NodeId from, InstallSnapshot message) {
    if (!acceptLeader(from, message.term())) {
      return;
    }
    SimLog.Base base = message.base();
    long index = base.index();
    if (index > committed && log.term(index) != base.term()) {
      listener.onTruncated(log.base().index() + 1);
      listener.install(base, message.copy());
      if (stopped) {
        return;
      }
      log.reset(base);
      committed = index;
      durableIndex = index;
    }
    acknowledge(from, index, index, message.round());
  }

  /** The members, for status pages. */
  List<NodeId> voters() {
    return RaftInvariants.sorted(log.replicas().voters());
  }
}
