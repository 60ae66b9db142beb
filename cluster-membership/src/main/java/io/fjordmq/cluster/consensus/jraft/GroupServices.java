package io.fjordmq.cluster.consensus.jraft;

import com.alipay.sofa.jraft.JRaftServiceFactory;
import com.alipay.sofa.jraft.entity.codec.LogEntryCodecFactory;
import com.alipay.sofa.jraft.option.NodeOptions;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.storage.LogStorage;
import com.alipay.sofa.jraft.storage.RaftMetaStorage;
import com.alipay.sofa.jraft.storage.SnapshotStorage;
import io.fjordmq.cluster.consensus.log.EntryCodec;
import io.fjordmq.cluster.consensus.log.GroupLog;
import io.fjordmq.cluster.consensus.log.GroupVote;

/** Provides jraft with one group's log, vote and snapshot storage in place of its own files. */
record GroupServices(GroupLog log, GroupVote vote, GroupSnapshots snapshots)
    implements JRaftServiceFactory {

  @Override
  public LogStorage createLogStorage(String uri, RaftOptions options) {
    return log;
  }

  @Override
  public SnapshotStorage createSnapshotStorage(NodeOptions options) {
    return snapshots;
  }

  @Override
  public RaftMetaStorage createRaftMetaStorage(String uri, RaftOptions options) {
    return vote;
  }

  @Override
  public LogEntryCodecFactory createLogEntryCodecFactory() {
    return new EntryCodec();
  }
}
