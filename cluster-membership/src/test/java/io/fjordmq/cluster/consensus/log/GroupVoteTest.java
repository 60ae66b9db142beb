package io.fjordmq.cluster.consensus.log;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.conf.ConfigurationManager;
import com.alipay.sofa.jraft.entity.EnumOutter.EntryType;
import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.LogId;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.option.LogStorageOptions;
import com.alipay.sofa.jraft.option.RaftMetaStorageOptions;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.RaftLogSettings;
import io.fjordmq.cluster.consensus.ReplicaSet;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;

/** The state that a voter keeps while its disk rejects writes. */
final class GroupVoteTest {
  private static final GroupId GROUP = new GroupId("g");
  private static final NodeId SELF = new NodeId("self");
  private static final PeerId CANDIDATE = PeerNames.peer(new NodeId("x"));
  private static final PeerId NO_VOTE = PeerId.emptyPeer();

  private final FailingRow row = new FailingRow();
  private final GroupVote vote = open();

  /** Rejects writes on demand. */
  private static final class FailingRow implements GroupVote.Row {
    private byte @Nullable [] value;
    private boolean failing;

    @Override
    public byte @Nullable [] read() {
      return value;
    }

    @Override
    public void write(byte[] bytes) throws RocksDBException {
      if (failing) {
        throw new RocksDBException("No space left on device");
      }
      value = bytes;
    }
  }

  /** Opens the vote as after a crash. */
  private GroupVote open() {
    GroupVote opened = new GroupVote(GROUP, row);
    assertThat(opened.init(new RaftMetaStorageOptions())).isTrue();
    return opened;
  }

  @BeforeEach
  void voteInTermFour() {
    assertThat(vote.setTermAndVotedFor(4, PeerNames.peer(SELF))).isTrue();
  }

  @Test
  void shouldSaveAVoteTogetherWithItsPreviouslyUnsavedTerm() {
    row.failing = true;
    assertThat(vote.setTermAndVotedFor(5, NO_VOTE)).isFalse();
    row.failing = false;
    assertThat(vote.setVotedFor(CANDIDATE)).isTrue();
    GroupVote later = open();
    assertThat(later.getTerm()).isEqualTo(5);
    assertThat(later.getVotedFor()).isEqualTo(CANDIDATE);
  }

  @Test
  void shouldNotGrantAVoteThatCannotBeSaved() {
    row.failing = true;
    assertThat(vote.setVotedFor(CANDIDATE)).isFalse();
    assertThat(vote.setTermAndVotedFor(5, CANDIDATE)).isFalse();
    assertThat(vote.setTerm(6)).isFalse();
    assertThat(open().getTerm()).isEqualTo(4);
  }

  @Test
  void shouldNotAcknowledgeEntriesOfAnUnsavedTerm(@TempDir Path directory) throws Exception {
    try (SharedLog shared = SharedLog.open(directory, RaftLogSettings.DEFAULT)) {
      shared.create(GROUP, ReplicaSet.ofVoters(SELF));
      GroupRecord record = requireNonNull(shared.group(GROUP));
      GroupLog log = new GroupLog(GROUP, record, shared, vote, ConsensusObserver.NONE);
      LogStorageOptions options = new LogStorageOptions();
      options.setConfigurationManager(new ConfigurationManager());
      assertThat(log.init(options)).isTrue();
      row.failing = true;
      assertThat(vote.setTermAndVotedFor(5, NO_VOTE)).isFalse();
      assertThat(log.appendEntry(entryOfTermFive())).isFalse();
      assertThat(log.getLastLogIndex()).isZero();
      row.failing = false;
      assertThat(log.appendEntry(entryOfTermFive())).isTrue();
      assertThat(open().getTerm()).isEqualTo(5);
    }
  }

  private static LogEntry entryOfTermFive() {
    LogEntry entry = new LogEntry(EntryType.ENTRY_TYPE_DATA);
    entry.setId(new LogId(1, 5));
    entry.setData(ByteBuffer.wrap(new byte[] {1}));
    return entry;
  }
}
