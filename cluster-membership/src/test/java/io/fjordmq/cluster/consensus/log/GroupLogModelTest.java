package io.fjordmq.cluster.consensus.log;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.conf.ConfigurationManager;
import com.alipay.sofa.jraft.entity.EnumOutter.EntryType;
import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.LogId;
import com.alipay.sofa.jraft.option.LogStorageOptions;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.RaftLogSettings;
import io.fjordmq.cluster.consensus.ReplicaSet;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** A log in the shared database behaves like a map from index to entry. */
final class GroupLogModelTest {
  private static final GroupId GROUP = new GroupId("g");
  private static final ReplicaSet MEMBERS = ReplicaSet.ofVoters(new NodeId("a"));

  /** A trivially correct log. */
  private static final class Model {
    private final TreeMap<Long, Long> terms = new TreeMap<>();
    private long first = 1;

    long next() {
      return terms.isEmpty() ? first : terms.lastKey() + 1;
    }
  }

  // No fsync: another test covers durability, and this one reopens the log a thousand times.
  private static final RaftLogSettings FAST = new RaftLogSettings(1 << 20, 1 << 20, false);

  @Property(tries = 15)
  void shouldBehaveLikeAMap(
      @ForAll @Size(min = 1, max = 25) List<@IntRange(max = 99) Integer> steps) throws Exception {
    Path directory = Files.createTempDirectory("log-model");
    SharedLog shared = SharedLog.open(directory, FAST);
    try {
      shared.create(GROUP, MEMBERS);
      Model model = new Model();
      GroupLog log = open(shared);
      long term = 1;
      for (int step : steps) {
        int amount = step / 5 + 1;
        switch (step % 5) {
          case 0, 1 -> append(log, model, amount, term++);
          case 2 -> {
            long kept = Math.max(model.first, model.next() - amount);
            log.truncatePrefix(kept);
            model.terms.headMap(kept, false).clear();
            model.first = kept;
          }
          case 3 -> {
            long kept = Math.max(model.first, model.next() - 1 - amount);
            log.truncateSuffix(kept);
            model.terms.tailMap(kept, false).clear();
          }
          default -> {
            shared.close();
            shared = SharedLog.open(directory, FAST);
            log = open(shared);
          }
        }
        assertSame(log, model);
      }
    } finally {
      shared.close();
      SnapshotDirectories.deleteRecursively(directory);
    }
  }

  private static GroupLog open(SharedLog shared) throws Exception {
    GroupRecord record = requireNonNull(shared.group(GROUP));
    GroupVote vote = new GroupVote(GROUP, shared.hardState(record.number()));
    GroupLog log = new GroupLog(GROUP, record, shared, vote, ConsensusObserver.NONE);
    LogStorageOptions options = new LogStorageOptions();
    options.setConfigurationManager(new ConfigurationManager());
    assertThat(log.init(options)).isTrue();
    return log;
  }

  private static void append(GroupLog log, Model model, int count, long term) {
    List<LogEntry> entries = new ArrayList<>();
    for (long index = model.next(); entries.size() < count; index++) {
      LogEntry entry = new LogEntry(EntryType.ENTRY_TYPE_DATA);
      entry.setId(new LogId(index, term));
      entry.setData(ByteBuffer.allocate(8).putLong(0, index));
      entries.add(entry);
    }
    assertThat(log.appendEntries(entries)).isEqualTo(count);
    entries.forEach(entry -> model.terms.put(entry.getId().getIndex(), term));
  }

  private static void assertSame(GroupLog log, Model model) {
    assertThat(log.getFirstLogIndex()).isEqualTo(model.first);
    assertThat(log.getLastLogIndex()).isEqualTo(model.terms.isEmpty() ? 0 : model.terms.lastKey());
    for (long index = Math.max(0, model.first - 2); index <= model.next(); index++) {
      LogEntry entry = log.getEntry(index);
      assertThat(entry == null ? null : entry.getId().getTerm()).isEqualTo(model.terms.get(index));
    }
  }
}
