package io.fjordmq.cluster.consensus.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.RaftMessage.AppendEntries;
import io.fjordmq.cluster.consensus.sim.RaftMessage.AppendEntriesReply;
import io.fjordmq.cluster.consensus.sim.RaftMessage.InstallSnapshot;
import io.fjordmq.cluster.consensus.sim.RaftMessage.TimeoutNow;
import io.fjordmq.cluster.consensus.sim.SimLog.Entry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of a leader during one term: replication, commitment, confirmed reads, membership
 * changes.
 */
final class SimLeader {
  private static final int MAX_ENTRIES_PER_MESSAGE = 32;
  private static final long INSTALL_RETRY_MILLIS = 500;
  private static final long CHANGE_TIMEOUT_MILLIS = 10_000;

  private final SimReplica replica;
  private final long term;
  private final Map<NodeId, Progress> progress = new HashMap<>();
  private final List<Read> reads = new ArrayList<>();
  private final long startMillis;
  private long ownDurableIndex;
  private long firstIndexOfTerm;
  private long round;
  private @Nullable Change change;
  private @Nullable Transfer transfer;
  private boolean ended;

  private static final class Progress {
    long nextIndex;
    long matchIndex;
    long round;
    long lastHeardMillis;
    long installSentMillis = Long.MIN_VALUE / 2;
  }

  private record Read(long round, LongConsumer confirmed) {}

  private record Change(ReplicaSet target, CompletableFuture<Void> done, long sinceMillis) {}

  private record Transfer(NodeId target, CompletableFuture<Void> done, long sinceMillis) {}

  SimLeader(SimReplica replica, long ownDurableIndex) {
    this.replica = replica;
    this.term = replica.term();
    this.ownDurableIndex = ownDurableIndex;
    this.startMillis = now();
  }

  /**
   * Appends the entry that starts the term; earlier entries can only be committed together with it.
   */
  void begin() {
    firstIndexOfTerm = replica.log().lastIndex() + 1;
    append(null, null);
    tick();
  }

  /** Returns the entry's index. */
  long append(byte @Nullable [] data, @Nullable ReplicaSet replicas) {
    long index = replica.log().lastIndex() + 1;
    replica.append(new Entry(index, term, data, replicas));
    broadcast();
    return index;
  }

  boolean isTransferring() {
    return transfer != null;
  }

  void onEnded() {
    ended = true;
    ConsensusException cause =
        new ConsensusException(
            Kind.OUTCOME_UNKNOWN, replica.self() + " lost leadership of term " + term);
    if (change != null) {
      change.done.completeExceptionally(cause);
    }
    if (transfer != null) {
      replica.onTransferStarted(transfer.target, transfer.done);
    }
    reads.forEach(read -> read.confirmed.accept(-1));
  }

  void onOwnLogDurable(long index) {
    ownDurableIndex = Math.max(ownDurableIndex, index);
    advanceCommitted();
    if (!ended) {
      completeReads();
    }
  }

  void onAppendReply(NodeId from, AppendEntriesReply message) {
    Progress peer = progress.get(from);
    if (peer == null) {
      return;
    }
    peer.lastHeardMillis = now();
    peer.round = Math.max(peer.round, message.round());
    if (message.accepted()) {
      peer.matchIndex = Math.max(peer.matchIndex, message.index());
      peer.nextIndex = Math.max(peer.nextIndex, peer.matchIndex + 1);
      advanceCommitted();
    } else {
      peer.nextIndex = Math.max(peer.matchIndex + 1, Math.min(peer.nextIndex, message.index() + 1));
    }
    if (!ended) {
      completeReads();
      continueTransfer();
      if (peer.nextIndex <= replica.log().lastIndex()) {
        sendTo(from, peer);
      }
    }
  }

  /**
   * Passes the index to wait for once a majority has confirmed the leader; -1 if the term ended.
   */
  void confirmRead(LongConsumer confirmed) {
    round++;
    reads.add(new Read(round, confirmed));
    broadcast();
    completeReads();
  }

  void change(ReplicaSet target, CompletableFuture<Void> done) {
    if (change != null) {
      done.completeExceptionally(
          new ConsensusException(Kind.BUSY, "another change of replicas is in progress"));
      return;
    }
    change = new Change(target, done, now());
    continueChange();
  }

  void transfer(NodeId target, CompletableFuture<Void> done) {
    if (transfer != null || !replica.log().replicas().voters().contains(target)) {
      done.completeExceptionally(
          new ConsensusException(Kind.BUSY, "cannot transfer leadership to " + target + " now"));
    } else if (target.equals(replica.self())) {
      done.complete(null);
    } else {
      transfer = new Transfer(target, done, now());
      broadcast();
      continueTransfer();
    }
  }

  static boolean isMajority(Collection<NodeId> nodes, Set<NodeId> voters) {
    return nodes.stream().filter(voters::contains).count() * 2 > voters.size();
  }

  private long now() {
    return replica.simulation().now();
  }

  private void tick() {
    if (ended) {
      return;
    }
    replica.process().schedule(SimReplica.HEARTBEAT_MILLIS, this::tick);
    if (now() - startMillis > SimReplica.ELECTION_MILLIS
        && !isMajority(reachableNodes(), voters())) {
      replica.becomeFollower(null);
      return;
    }
    if (transfer != null && now() - transfer.sinceMillis > 2 * SimReplica.ELECTION_MILLIS) {
      transfer.done.completeExceptionally(
          new ConsensusException(Kind.BUSY, transfer.target + " did not take over in time"));
      transfer = null;
    }
    broadcast();
    continueChange();
  }

  private Set<NodeId> voters() {
    return replica.log().replicas().voters();
  }

  private Set<NodeId> reachableNodes() {
    Set<NodeId> reachableNodes = new HashSet<>();
    reachableNodes.add(replica.self());
    progress.forEach(
        (node, peer) -> {
          if (now() - peer.lastHeardMillis <= SimReplica.ELECTION_MILLIS) {
            reachableNodes.add(node);
          }
        });
    return reachableNodes;
  }

  private void broadcast() {
    Set<NodeId> peers = new HashSet<>(voters());
    peers.addAll(replica.log().replicas().learners());
    if (change != null) {
      peers.addAll(change.target.voters());
      peers.addAll(change.target.learners());
    }
    peers.remove(replica.self());
    progress.keySet().retainAll(peers);
    for (NodeId node : RaftInvariants.sorted(peers)) {
      sendTo(node, progress.computeIfAbsent(node, n -> newProgress()));
    }
  }

  private Progress newProgress() {
    Progress peer = new Progress();
    peer.nextIndex = replica.log().lastIndex() + 1;
    peer.lastHeardMillis = now();
    return peer;
  }

  private void sendTo(NodeId node, Progress peer) {
    SimLog log = replica.log();
    if (peer.nextIndex <= log.base().index()) {
      install(node, peer);
      return;
    }
    List<Entry> entries = log.from(peer.nextIndex, MAX_ENTRIES_PER_MESSAGE);
    long previous = peer.nextIndex - 1;
    replica.send(
        node,
        new AppendEntries(term, previous, log.term(previous), entries, replica.committed(), round));
    peer.nextIndex += entries.size();
  }

  private void install(NodeId node, Progress peer) {
    if (now() - peer.installSentMillis < INSTALL_RETRY_MILLIS) {
      return;
    }
    SimReplica.Snapshot copy = replica.listener().export();
    if (copy == null) {
      return;
    }
    peer.installSentMillis = now();
    replica.send(node, new InstallSnapshot(term, copy.base(), copy.files(), round));
  }

  private void advanceCommitted() {
    List<Long> matched = new ArrayList<>();
    for (NodeId voter : voters()) {
      Progress peer = progress.get(voter);
      matched.add(
          voter.equals(replica.self()) ? ownDurableIndex : peer == null ? 0 : peer.matchIndex);
    }
    matched.sort(null);
    // The leader applies only what is durable in its own log, although a majority without it would
    // suffice.
    long majority = Math.min(ownDurableIndex, matched.get((matched.size() - 1) / 2));
    if (majority > replica.committed() && replica.log().term(majority) == term) {
      replica.commit(majority);
      if (!ended) {
        continueChange();
      }
    }
  }

  private void completeReads() {
    if (replica.committed() < firstIndexOfTerm) {
      return;
    }
    for (Read read : List.copyOf(reads)) {
      Set<NodeId> confirming = new HashSet<>();
      confirming.add(replica.self());
      progress.forEach(
          (node, peer) -> {
            if (peer.round >= read.round) {
              confirming.add(node);
            }
          });
      if (isMajority(confirming, voters())) {
        reads.remove(read);
        read.confirmed.accept(replica.committed());
      }
    }
  }

  private void continueTransfer() {
    Progress peer = transfer == null ? null : progress.get(transfer.target);
    if (transfer != null && peer != null && peer.matchIndex == replica.log().lastIndex()) {
      replica.send(transfer.target, new TimeoutNow(term));
    }
  }

  /**
   * Changes one voter at a time, each after the previous change is committed and the new node has
   * caught up.
   */
  private void continueChange() {
    if (change == null || replica.committed() < firstIndexOfTerm || hasUncommittedChange()) {
      return;
    }
    ReplicaSet current = replica.log().replicas();
    if (current.equals(change.target)) {
      Change completed = change;
      change = null;
      completed.done.complete(null);
      if (!current.voters().contains(replica.self())) {
        replica.becomeFollower(null);
      }
      return;
    }
    if (now() - change.sinceMillis > CHANGE_TIMEOUT_MILLIS) {
      change.done.completeExceptionally(
          new ConsensusException(Kind.BUSY, "new replicas did not catch up in time"));
      change = null;
      return;
    }
    ReplicaSet next = nextStep(current, change.target);
    if (next != null) {
      append(null, next);
    } else {
      broadcast();
    }
  }

  private boolean hasUncommittedChange() {
    for (long i = replica.committed() + 1; i <= replica.log().lastIndex(); i++) {
      if (replica.log().entry(i).replicas() != null) {
        return true;
      }
    }
    return false;
  }

  private @Nullable ReplicaSet nextStep(ReplicaSet current, ReplicaSet target) {
    Set<NodeId> voters = new HashSet<>(current.voters());
    Set<NodeId> learners = new HashSet<>(current.learners());
    for (NodeId node : RaftInvariants.sorted(target.voters())) {
      if (!voters.contains(node)) {
        Progress peer = progress.get(node);
        if (peer == null || peer.matchIndex < replica.committed()) {
          return null;
        }
        if (!learners.remove(node)) { // as in sofa-jraft, the node leaves before it rejoins
          voters.add(node);
        }
        return new ReplicaSet(voters, learners);
      }
    }
    for (NodeId node : RaftInvariants.sorted(voters)) {
      boolean last = voters.size() == target.voters().size() + 1;
      // A leader to be removed goes last: until then a leader must carry out the change.
      if (!target.voters().contains(node) && (last || !node.equals(replica.self()))) {
        voters.remove(node);
        return new ReplicaSet(voters, learners);
      }
    }
    return new ReplicaSet(voters, target.learners());
  }
}
