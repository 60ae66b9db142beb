package io.fjordmq.cluster.consensus.jraft;

import com.alipay.sofa.jraft.option.ApplyTaskMode;
import com.alipay.sofa.jraft.option.NodeOptions;
import com.alipay.sofa.jraft.option.RaftOptions;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.log.PeerNames;
import io.fjordmq.cluster.consensus.transport.RaftTransport;
import org.jspecify.annotations.Nullable;

/**
 * The jraft options of one group. They also carry the host's transport and the {@link
 * FollowerProgress} of the group to {@link GroupRpcClient}: jraft creates a group's RPC client with
 * a static factory, but initializes it with these options.
 */
final class GroupNodeOptions extends NodeOptions {
  /** Entries are batched into one message up to this size; a larger entry is sent alone. */
  static final int MAX_BODY_BYTES = 4 << 20;

  /**
   * Heartbeats per election timeout. After a lost heartbeat, jraft waits half an election timeout
   * for the response before it sends the next one: 0.8 election timeouts after the last one that
   * was answered. A leader steps down after 0.9, and followers hold an election after 1, so with
   * four heartbeats a single lost one could cost the leadership.
   */
  static final int HEARTBEATS_PER_ELECTION_TIMEOUT = 5;

  // jraft requires file URIs, which these storages do not use.
  private static final String NO_FILE = "shared-log";

  private final @Nullable RaftTransport transport;
  private final FollowerProgress progress;

  /**
   * @param members the first members of the group
   */
  GroupNodeOptions(
      ReplicaSet members,
      GroupServices services,
      JRaftStateMachine machine,
      ConsensusSettings settings,
      @Nullable RaftTransport transport,
      FollowerProgress progress) {
    this.transport = transport;
    this.progress = progress;
    setServiceFactory(services);
    setFsm(machine);
    // Used only while log and checkpoint are empty; later the members are read from them.
    setInitialConf(PeerNames.configuration(members));
    setLogUri(NO_FILE);
    setRaftMetaUri(NO_FILE);
    setSnapshotUri(NO_FILE);
    setRaftOptions(raftOptions(settings));
    setElectionTimeoutMs(Math.toIntExact(settings.electionTimeout().toMillis()));
    setApplyTaskMode(ApplyTaskMode.NonBlocking);
    setDisableCli(true);
    setSnapshotIntervalSecs(0);
    // Counted in entries, which are large in FjordMQ: with jraft's default of 1,000, an empty
    // replica would count as caught up.
    setCatchupMargin(16);
    // All groups share these pools; otherwise each group would have four threads that wake up every
    // millisecond.
    setSharedElectionTimer(true);
    setSharedVoteTimer(true);
    setSharedStepDownTimer(true);
    setSharedSnapshotTimer(true);
    setSharedTimerPool(true);
    setTimerPoolSize(heartbeatMillis()); // read by AlignedTimerFactory
    setRpcProcessorThreadPoolSize(3);
  }

  private static RaftOptions raftOptions(ConsensusSettings settings) {
    RaftOptions raft = new RaftOptions();
    raft.setSync(true);
    raft.setElectionHeartbeatFactor(HEARTBEATS_PER_ELECTION_TIMEOUT);
    raft.setDisruptorBufferSize(settings.queuedProposals());
    raft.setApplyBatch(settings.proposalsPerAppend());
    raft.setMaxAppendBufferSize(settings.maxAppendBytes());
    raft.setMaxLogsInMemoryBytes(settings.maxUnappliedBytes());
    raft.setMaxEntriesSize(256);
    raft.setMaxBodySize(MAX_BODY_BYTES);
    raft.setMaxReplicatorInflightMsgs(64);
    raft.setReplicatorPipeline(true);
    raft.setOpenStatistics(false);
    // RocksDB and TCP already use checksums.
    raft.setEnableLogEntryChecksum(false);
    return raft;
  }

  /** The interval between two heartbeats to the same follower. */
  private int heartbeatMillis() {
    return getElectionTimeoutMs() / HEARTBEATS_PER_ELECTION_TIMEOUT;
  }

  @Nullable RaftTransport transport() {
    return transport;
  }

  FollowerProgress progress() {
    return progress;
  }
}
