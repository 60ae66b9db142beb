package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.conf.Configuration;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * Whether a replica's state and its log belong together. They lie in different databases; restoring
 * or losing one of them must be noticed before the replica takes part, because from then on it
 * would lose entries without a word.
 */
final class ReplicaCheck {
  private final GroupId group;
  private final GroupRecord record;
  private final SharedLog log;
  private final NodeId self;

  ReplicaCheck(GroupId group, GroupRecord record, SharedLog log, NodeId self) {
    this.group = group;
    this.record = record;
    this.log = log;
    this.self = self;
  }

  /**
   * @param alone no other replica will bring back anything
   * @throws ConsensusException ({@code FAILED}) if the state lacks what the log dropped, or the log
   *     lacks what the state has and nobody else can bring it back, or lacks what this node has
   *     confirmed
   */
  void requireMatch(long applied, @Nullable CheckpointRecord checkpoint, boolean alone)
      throws ConsensusException, RocksDBException, IOException {
    long covered = checkpoint == null ? 0 : checkpoint.meta().getLastIncludedIndex();
    long needed = checkpoint == null ? 0 : checkpoint.applied();
    if (applied < needed) {
      throw mismatch(
          "the state has entries up to " + applied, "the log has dropped those up to " + needed);
    }
    long first = log.firstIndex(record.number());
    long last = log.lastIndex(record.number(), first);
    // Nobody else can be relied on here either: what a voter has confirmed it must not forget.
    long promised = log.promised(record.number());
    if (promised > Math.max(last, covered)) {
      throw damaged(promised, Math.max(last, covered));
    }
    long known = Math.max(last, Math.max(covered, needed));
    // With other voters it may be so: they had committed what this node had not yet on disk, and
    // they will send it again. Alone, new entries would get the numbers of lost ones.
    if (applied > known && (alone || isOnlyVoter(first, checkpoint))) {
      throw mismatch("the state has entries up to " + applied, "the log ends at " + known);
    }
  }

  private boolean isOnlyVoter(long firstIndex, @Nullable CheckpointRecord checkpoint)
      throws RocksDBException {
    Configuration[] latest = {PeerNames.configuration(record.members())};
    if (checkpoint != null) {
      latest[0] = new Configuration();
      checkpoint.meta().getPeersList().forEach(peer -> latest[0].addPeer(PeerNames.parse(peer)));
    }
    log.configurations(
        record.number(), firstIndex, bytes -> latest[0] = GroupLog.configuration(bytes).getConf());
    return latest[0].size() == 1 && latest[0].contains(PeerNames.peer(self));
  }

  private ConsensusException damaged(long promised, long last) {
    return new ConsensusException(
        Kind.FAILED,
        "group %s: this node has confirmed entries up to %d, but its log can be read only up to %d:"
                .formatted(group, promised, last)
            + " the medium has damaged a write-ahead file; start with an empty data directory to join"
            + " as a new node, or remove %s to go on without the lost entries"
                .formatted(log.endsFile()));
  }

  private ConsensusException mismatch(String state, String logEnd) {
    return new ConsensusException(
        Kind.FAILED,
        "group "
            + group
            + ": "
            + state
            + " but "
            + logEnd
            + "; part of the data directory was lost or replaced; start with an empty data directory"
            + " to join as a new node");
  }
}
