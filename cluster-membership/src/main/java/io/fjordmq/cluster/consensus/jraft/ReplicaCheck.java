package io.fjordmq.cluster.consensus.jraft;

import com.alipay.sofa.jraft.conf.Configuration;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.log.CheckpointRecord;
import io.fjordmq.cluster.consensus.log.GroupLog;
import io.fjordmq.cluster.consensus.log.GroupRecord;
import io.fjordmq.cluster.consensus.log.PeerNames;
import io.fjordmq.cluster.consensus.log.SharedLog;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * Checks that a replica's state and log match. They are in different databases. If one of them was
 * lost or restored, the replica must not join its group, because entries would be lost silently.
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
   * Requires that the state and the log match.
   *
   * @param onlyVoter true if no other replica can resend lost entries
   * @throws ConsensusException ({@code FAILED}) if the state lacks entries that the log has
   *     dropped, if the log lacks entries that the state includes and that no other replica can
   *     resend, or if the log lacks entries that this node has acknowledged
   */
  void requireMatch(long applied, @Nullable CheckpointRecord checkpoint, boolean onlyVoter)
      throws RocksDBException, IOException {
    long covered = checkpoint == null ? 0 : checkpoint.meta().getLastIncludedIndex();
    long needed = checkpoint == null ? 0 : checkpoint.applied();
    if (applied < needed) {
      throw mismatch(
          "the state includes entries up to index " + applied,
          "the log is truncated up to index " + needed);
    }
    long first = log.firstIndex(record.number());
    long last = log.lastIndex(record.number(), first);
    // Even with other voters: a voter must not forget what it has acknowledged.
    long acknowledged = log.syncedIndex(record.number());
    if (acknowledged > Math.max(last, covered)) {
      throw damaged(acknowledged, Math.max(last, covered));
    }
    long known = Math.max(last, Math.max(covered, needed));
    // With other voters this is valid: they committed entries that this node had not synced yet,
    // and will resend them. Without them, new entries would reuse the indexes of lost ones.
    if (applied > known && (onlyVoter || isOnlyVoter(first, checkpoint))) {
      throw mismatch(
          "the state includes entries up to index " + applied, "the log ends at index " + known);
    }
  }

  private boolean isOnlyVoter(long firstIndex, @Nullable CheckpointRecord checkpoint)
      throws RocksDBException {
    Configuration[] latest = {PeerNames.configuration(record.members())};
    if (checkpoint != null) {
      latest[0] = new Configuration();
      checkpoint.meta().getPeersList().forEach(peer -> latest[0].addPeer(PeerNames.parse(peer)));
    }
    log.forEachConfiguration(
        record.number(), firstIndex, bytes -> latest[0] = GroupLog.configuration(bytes).getConf());
    return latest[0].size() == 1 && latest[0].contains(PeerNames.peer(self));
  }

  private ConsensusException damaged(long acknowledged, long last) {
    return new ConsensusException(
        Kind.FAILED,
        "group %s: this node has acknowledged entries up to index %d, "
                .formatted(group, acknowledged)
            + "but its log can be read only up to index %d: ".formatted(last)
            + "a write-ahead log file is corrupt; start with an empty data directory to join"
            + " as a new node, or delete %s to continue without the lost entries"
                .formatted(log.endMarkersFile()));
  }

  private ConsensusException mismatch(String state, String logEnd) {
    return new ConsensusException(
        Kind.FAILED,
        "group "
            + group
            + ": "
            + state
            + ", but "
            + logEnd
            + ": part of the data directory was lost or replaced;"
            + " start with an empty data directory to join as a new node");
  }
}
