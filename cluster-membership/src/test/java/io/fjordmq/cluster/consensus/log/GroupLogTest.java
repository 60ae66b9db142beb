package io.fjordmq.cluster.consensus.log;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.conf.ConfigurationManager;
import com.alipay.sofa.jraft.entity.EnumOutter.EntryType;
import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.LogId;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.option.LogStorageOptions;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.RaftLogSettings;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.ValuesState;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log fulfills the contract of jraft's {@code LogStorage} although groups share a database. */
final class GroupLogTest {
  private static final ReplicaSet MEMBERS = ReplicaSet.ofVoters(new NodeId("a"));
  private static final GroupId ONE = new GroupId("one");
  private static final GroupId TWO = new GroupId("two");

  @TempDir Path directory;
  private SharedLog shared;
  private ConfigurationManager configurations = new ConfigurationManager();
  private GroupLog log;

  @BeforeEach
  void open() throws Exception {
    shared = SharedLog.open(directory, RaftLogSettings.DEFAULT);
    shared.create(ONE, MEMBERS);
    shared.create(TWO, MEMBERS);
    log = open(ONE);
  }

  @AfterEach
  void close() {
    shared.close();
  }

  private void reopen() throws Exception {
    shared.close();
    open();
  }

  private GroupLog open(GroupId id) throws Exception {
    GroupRecord record = requireNonNull(shared.group(id));
    GroupVote vote = new GroupVote(id, shared.hardState(record.number()));
    GroupLog opened = new GroupLog(id, record, shared, vote, ConsensusObserver.NONE);
    configurations = new ConfigurationManager();
    LogStorageOptions options = new LogStorageOptions();
    options.setConfigurationManager(configurations);
    options.setLogEntryCodecFactory(new EntryCodec());
    assertThat(opened.init(options)).isTrue();
    return opened;
  }

  private static LogEntry data(long index, long term, String text) {
    LogEntry entry = new LogEntry(EntryType.ENTRY_TYPE_DATA);
    entry.setId(new LogId(index, term));
    entry.setData(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    return entry;
  }

  private static LogEntry configuration(long index, String... peers) {
    LogEntry entry = new LogEntry(EntryType.ENTRY_TYPE_CONFIGURATION);
    entry.setId(new LogId(index, 1));
    List<PeerId> parsed = new ArrayList<>();
    for (String peer : peers) {
      parsed.add(PeerNames.parse(peer));
    }
    entry.setPeers(parsed);
    return entry;
  }

  private static String text(GroupLog of, long index) {
    LogEntry entry = of.getEntry(index);
    return entry == null ? "-" : ValuesState.text(entry.getData());
  }

  private void append(long from, long to) {
    List<LogEntry> entries =
        LongStream.rangeClosed(from, to).mapToObj(i -> data(i, 1, "e" + i)).toList();
    assertThat(log.appendEntries(entries)).isEqualTo(entries.size());
  }

  @Test
  void shouldBeEmptyWhenNew() {
    assertThat(log.getFirstLogIndex()).isEqualTo(1);
    assertThat(log.getLastLogIndex()).isZero();
    assertThat(log.getEntry(1)).isNull();
    assertThat(log.appendEntries(List.of())).isZero();
  }

  @Test
  void shouldReturnAppendedEntriesWhenReopened() throws Exception {
    append(1, 100);
    reopen();
    assertThat(log.getFirstLogIndex()).isEqualTo(1);
    assertThat(log.getLastLogIndex()).isEqualTo(100);
    assertThat(text(log, 57)).isEqualTo("e57");
    assertThat(requireNonNull(log.getEntry(57)).getId()).isEqualTo(new LogId(57, 1));
    assertThat(log.getEntry(101)).isNull();
    assertThat(log.getEntry(0)).isNull();
  }

  @Test
  void shouldReturnTheLastEntryWithoutReadingTheDatabase() {
    append(1, 3);
    shared.close();
    assertThat(text(log, 3)).isEqualTo("e3");
    assertThat(text(log, 2)).as("unreadable").isEqualTo("-");
  }

  @Test
  void shouldReturnALargeLastEntry() {
    append(1, 2);
    String large = "x".repeat(100_000);
    assertThat(log.appendEntries(List.of(data(3, 1, large)))).isEqualTo(1);
    assertThat(text(log, 3)).isEqualTo(large);
    assertThat(text(log, 2)).isEqualTo("e2");
  }

  @Test
  void shouldReturnNeitherATruncatedLastEntryNorOneThatWasReset() {
    append(1, 3);
    assertThat(log.truncateSuffix(2)).isTrue();
    assertThat(text(log, 3)).isEqualTo("-");
    assertThat(log.appendEntries(List.of(data(3, 2, "replacement")))).isEqualTo(1);
    assertThat(text(log, 3)).isEqualTo("replacement");
    assertThat(log.reset(3)).isTrue();
    assertThat(text(log, 3)).isEqualTo("-");
  }

  @Test
  void shouldDropTheHeadWhenThePrefixIsTruncated() throws Exception {
    append(1, 10);
    assertThat(log.truncatePrefix(4)).isTrue();
    assertThat(log.getFirstLogIndex()).isEqualTo(4);
    assertThat(text(log, 3)).isEqualTo("-");
    assertThat(text(log, 4)).isEqualTo("e4");
    assertThat(log.truncatePrefix(2)).as("an older truncation").isTrue();
    assertThat(log.getFirstLogIndex()).isEqualTo(4);
    reopen();
    assertThat(log.getFirstLogIndex()).isEqualTo(4);
    assertThat(log.getLastLogIndex()).isEqualTo(10);
    assertThat(text(log, 3)).isEqualTo("-");
  }

  @Test
  void shouldContinueAfterTheTruncatedEntriesWhenAllAreTruncated() throws Exception {
    append(1, 10);
    assertThat(log.truncatePrefix(21)).isTrue();
    assertThat(log.getLastLogIndex()).isZero();
    reopen();
    assertThat(log.getFirstLogIndex()).isEqualTo(21);
    assertThat(log.getLastLogIndex()).isZero();
    append(21, 22);
    reopen();
    assertThat(log.getLastLogIndex()).isEqualTo(22);
    assertThat(text(log, 21)).isEqualTo("e21");
  }

  @Test
  void shouldReplaceTheTailWhenTheSuffixIsTruncated() throws Exception {
    append(1, 10);
    assertThat(log.truncateSuffix(6)).isTrue();
    assertThat(log.getLastLogIndex()).isEqualTo(6);
    assertThat(text(log, 7)).isEqualTo("-");
    assertThat(log.appendEntry(data(7, 2, "other"))).isTrue();
    reopen();
    assertThat(log.getLastLogIndex()).isEqualTo(7);
    assertThat(text(log, 7)).isEqualTo("other");
    assertThat(requireNonNull(log.getEntry(7)).getId().getTerm()).isEqualTo(2);
  }

  @Test
  void shouldStartAtTheNextIndexWhenReset() throws Exception {
    append(1, 10);
    assertThat(log.reset(50)).isTrue();
    assertThat(log.getFirstLogIndex()).isEqualTo(50);
    assertThat(log.getLastLogIndex()).isZero();
    append(50, 51);
    reopen();
    assertThat(log.getFirstLogIndex()).isEqualTo(50);
    assertThat(log.getLastLogIndex()).isEqualTo(51);
    assertThat(text(log, 10)).isEqualTo("-");
  }

  @Test
  void shouldReportTheMembersWhenOpenedWithConfigurationEntries() throws Exception {
    log.appendEntries(List.of(configuration(1, "a:0"), data(2, 1, "x")));
    log.appendEntry(configuration(3, "a:0", "b:0"));
    reopen();
    assertThat(configurations.getLastConfiguration().getConf().listPeers())
        .containsExactlyInAnyOrder(PeerNames.parse("a:0"), PeerNames.parse("b:0"));
    log.truncateSuffix(2);
    reopen();
    assertThat(configurations.getLastConfiguration().getConf().listPeers())
        .containsExactly(PeerNames.parse("a:0"));
    log.truncatePrefix(3);
    reopen();
    assertThat(configurations.getLastConfiguration().isEmpty()).isTrue();
  }

  @Test
  void shouldNotAffectTheOtherGroupWhenOneIsTruncatedResetOrDestroyed() throws Exception {
    append(1, 10);
    GroupLog other = open(TWO);
    other.appendEntries(List.of(configuration(1, "a:0"), data(2, 1, "kept")));
    log.truncatePrefix(5);
    log.truncateSuffix(6);
    log.reset(100);
    shared.destroy(ONE);
    assertThat(other.getLastLogIndex()).isEqualTo(2);
    shared.close();
    shared = SharedLog.open(directory, RaftLogSettings.DEFAULT);
    assertThat(shared.groups()).containsExactly(TWO);
    assertThat(text(open(TWO), 2)).isEqualTo("kept");
    assertThat(configurations.getLastConfiguration().getConf().size()).isEqualTo(1);
  }

  @Test
  void shouldNeverReuseANumberWhenAGroupIsCreatedAgain() throws Exception {
    append(1, 3);
    long number = requireNonNull(shared.group(ONE)).number();
    shared.destroy(ONE);
    shared.create(ONE, MEMBERS);
    assertThat(requireNonNull(shared.group(ONE)).number()).isGreaterThan(number);
    assertThat(open(ONE).getLastLogIndex()).isZero();
  }

  @Test
  void shouldReportEntriesAndBytesWhenABatchIsAppended() throws Exception {
    AtomicLong entries = new AtomicLong();
    AtomicLong bytes = new AtomicLong();
    ConsensusObserver observer =
        new ConsensusObserver() {
          @Override
          public void onAppended(GroupId group, int count, long size, long nanos) {
            assertThat(group).isEqualTo(ONE);
            assertThat(nanos).isPositive();
            entries.addAndGet(count);
            bytes.addAndGet(size);
          }
        };
    GroupRecord record = requireNonNull(shared.group(ONE));
    GroupVote vote = new GroupVote(ONE, shared.hardState(record.number()));
    new GroupLog(ONE, record, shared, vote, observer)
        .appendEntries(List.of(data(1, 1, "abc"), data(2, 1, "def")));
    assertThat(entries).hasValue(2);
    assertThat(bytes).hasValue(2 * (18 + 3));
  }

  @Test
  void shouldFailTheAppendWhenTheDatabaseIsClosed() {
    shared.close();
    assertThat(log.appendEntries(List.of(data(1, 1, "late")))).isZero();
    assertThat(log.getEntry(1)).isNull();
  }
}
