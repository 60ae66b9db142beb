package io.fjordmq.cluster.consensus.log;

import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.entity.LogId;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * What the log database of a stopped node holds of a group.
 *
 * @param members the members as of the last entry, whether or not it is committed
 * @param firstIndex index of the first entry; 1 more than {@code lastIndex} if there is none
 * @param lastIndex index of the last entry, or that which the checkpoint covers
 * @param lastTerm term of that entry
 */
public record StoredGroup(ReplicaSet members, long firstIndex, long lastIndex, long lastTerm) {
  /**
   * Reads a group; null if there is no replica. Blocks.
   *
   * @throws io.fjordmq.common.MalformedBytesException if it has an unknown format
   */
  public static @Nullable StoredGroup read(SharedLog log, GroupId id) throws RocksDBException {
    GroupRecord record = log.group(id);
    if (record == null) {
      return null;
    }
    long group = record.number();
    byte[] checkpointBytes = log.getRaft(LogKeys.checkpoint(group));
    CheckpointRecord checkpoint =
        checkpointBytes == null ? null : CheckpointRecord.decode(checkpointBytes);
    long first = log.firstIndex(group);
    long last = log.lastIndex(group, first);
    byte[] entry = last == 0 ? null : log.getEntry(group, last);
    LogId end = checkpoint == null ? new LogId(0, 0) : end(checkpoint);
    if (entry != null && last >= end.getIndex()) {
      end = EntryCodec.decode(entry).getId();
    }
    ReplicaSet members = members(log, record, checkpoint, first);
    return new StoredGroup(
        members, last == 0 ? end.getIndex() + 1 : first, end.getIndex(), end.getTerm());
  }

  private static LogId end(CheckpointRecord checkpoint) {
    return new LogId(
        checkpoint.meta().getLastIncludedIndex(), checkpoint.meta().getLastIncludedTerm());
  }

  private static ReplicaSet members(
      SharedLog log, GroupRecord record, @Nullable CheckpointRecord checkpoint, long first)
      throws RocksDBException {
    Configuration[] latest = {PeerNames.configuration(record.members())};
    if (checkpoint != null) {
      latest[0] = new Configuration();
      checkpoint.meta().getPeersList().forEach(peer -> latest[0].addPeer(PeerNames.parse(peer)));
      checkpoint
          .meta()
          .getLearnersList()
          .forEach(peer -> latest[0].addLearner(PeerNames.parse(peer)));
    }
    log.forEachConfiguration(
        record.number(), first, bytes -> latest[0] = GroupLog.configuration(bytes).getConf());
    return PeerNames.replicas(latest[0]);
  }
}
