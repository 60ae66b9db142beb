package io.fjordmq.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.accounts.AuditFilter;
import io.fjordmq.broker.accounts.AuditLog;
import io.fjordmq.broker.accounts.AuditRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The audit records of several nodes. */
class ClusterAuditTest {
  private static final AuditFilter ALL = new AuditFilter(null, null, null, null, null, null);

  /** Records of nodes; the number of a record is its index. */
  private static final class Nodes implements ClusterAudit.Source {
    private final Map<String, List<AuditRecord>> byNode = new TreeMap<>();
    private @Nullable String broken;

    void add(String node, long second) {
      byNode
          .computeIfAbsent(node, name -> new ArrayList<>())
          .add(new AuditRecord(Instant.ofEpochSecond(second), null, "", "o", node + second, 200));
    }

    @Override
    public List<String> nodes() {
      return List.copyOf(byNode.keySet());
    }

    @Override
    public CompletableFuture<AuditLog.Page> page(
        String node, @Nullable Long cursor, int limit, AuditFilter filter) {
      if (node.equals(broken)) {
        return CompletableFuture.failedFuture(new IllegalStateException("node " + node + ": gone"));
      }
      List<AuditRecord> all = byNode.getOrDefault(node, List.of());
      List<AuditRecord> found = new ArrayList<>();
      List<Long> numbers = new ArrayList<>();
      long next = cursor == null ? all.size() : cursor;
      while (next > 0 && found.size() < limit) {
        next--;
        found.add(all.get((int) next));
        numbers.add(next);
      }
      return CompletableFuture.completedFuture(
          new AuditLog.Page(found, numbers, next == 0 ? null : next));
    }
  }

  private static List<String> targets(ClusterAudit.Page page) {
    return page.records().stream().map(one -> one.value().target()).toList();
  }

  @Test
  void shouldMergePagesNewestFirst() {
    Nodes nodes = new Nodes();
    Random random = new Random(5);
    List<Long> seconds = new ArrayList<>();
    for (long second = 0; second < 100; second++) {
      nodes.add("n" + random.nextInt(3), second);
      seconds.add(0, second);
    }
    for (int limit : new int[] {1, 7, 33, 1_000}) {
      ClusterAudit audit = new ClusterAudit(nodes);
      List<Long> read = new ArrayList<>();
      ClusterAudit.Page page = audit.page(null, limit, ALL).join();
      while (true) {
        assertThat(page.records()).hasSizeLessThanOrEqualTo(limit);
        page.records().forEach(one -> read.add(one.value().time().getEpochSecond()));
        if (page.next().isEmpty()) {
          break;
        }
        page = audit.page(page.next(), limit, ALL).join();
      }
      assertThat(read).as("limit %d", limit).isEqualTo(seconds);
    }
  }

  @Test
  void shouldNotLoseRecordsOfAClockThatWasSetBack() {
    Nodes nodes = new Nodes();
    nodes.add("a", 50);
    nodes.add("a", 10); // newer, but its clock was set back
    nodes.add("b", 30);
    ClusterAudit audit = new ClusterAudit(nodes);
    ClusterAudit.Page first = audit.page(null, 2, ALL).join();
    ClusterAudit.Page second = audit.page(first.next(), 2, ALL).join();
    assertThat(targets(first)).containsExactly("b30", "a10");
    assertThat(targets(second)).containsExactly("a50");
  }

  @Test
  void shouldNameNodesThatDoNotAnswer() {
    Nodes nodes = new Nodes();
    nodes.add("a", 1);
    nodes.add("b", 2);
    nodes.broken = "b";
    ClusterAudit.Page page = new ClusterAudit(nodes).page(null, 5, ALL).join();
    assertThat(targets(page)).containsExactly("a1");
    assertThat(page.problems()).containsExactly("node b: gone");
  }
}
