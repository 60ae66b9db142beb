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
import io.fjordmq.cluster.consensus.LogSettings;
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
  private static final PeerId X = PeerNames.peer(new NodeId("x"));
  private static final PeerId NOBODY = PeerId.emptyPeer();

  private final BrokenRow row = new BrokenRow();
  private final GroupVote vote = open();

  /** Rejects writes on demand. */
  private static final class BrokenRow implements GroupVote.Row {
    private byte @Nullable [] value;
    private boolean broken;

    @Override
    public byte @Nullable [] read() {
      return value;
    }

    @Override
    public void write(byte[] bytes) throws RocksDBException {
      if (broken) {
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
  void beInTermFour() {
    assertThat(vote.setTermAndVotedFor(4, PeerNames.peer(SELF))).isTrue();
  }

  @Test
  void shouldSaveAVoteTogetherWithItsPreviouslyUnsavedTerm() {
    row.broken = true;
    assertThat(vote.setTermAndVotedFor(5, NOBODY)).isFalse();
    row.broken = false;
    assertThat(vote.setVotedFor(X)).isTrue();
    GroupVote later = open();
    assertThat(later.getTerm()).isEqualTo(5);
    assertThat(later.getVotedFor()).isEqualTo(X);
  }

  @Test
  void shouldNotGrantAVoteThatCannotBeSaved() {
    row.broken = true;
    assertThat(vote.setVotedFor(X)).isFalse();
    assertThat(vote.setTermAndVotedFor(5, X)).isFalse();
    assertThat(vote.setTerm(6)).isFalse();
    assertThat(open().getTerm()).isEqualTo(4);
  }

  @Test
  void shouldNotAcknowledgeEntriesOfAnUnsavedTerm(@TempDir Path directory) throws Exception {
    try (SharedLog shared = SharedLog.open(directory, LogSettings.DEFAULT)) {
      shared.create(GROUP, ReplicaSet.ofVoters(SELF));
      GroupRecord record = requireNonNull(shared.group(GROUP));
      GroupLog log = new GroupLog(GROUP, record, shared, vote, ConsensusObserver.NONE);
      LogStorageOptions options = new LogStorageOptions();
      options.setConfigurationManager(new ConfigurationManager());
      assertThat(log.init(options)).isTrue();
      row.broken = true;
      assertThat(vote.setTermAndVotedFor(5, NOBODY)).isFalse();
      assertThat(log.appendEntry(entryOfTermFive())).isFalse();
      assertThat(log.getLastLogIndex()).isZero();
      row.broken = false;
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
