package io.fjordmq.perf.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.fjordmq.perf.broker.BrokerProcess;
import io.fjordmq.perf.broker.NodeConfig;
import io.fjordmq.perf.scenario.NodeLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes in real cgroups; skipped on hosts where this user cannot create any. */
class NodeGroupTest {
  private static final NodeLimits LIMITS = new NodeLimits(0.5, 1);

  @TempDir Path directory;

  @BeforeEach
  void assumeCgroupsCanBeCreated() {
    String obstacle = "";
    try {
      ControlGroups.own().probe(LIMITS);
    } catch (IOException e) {
      obstacle = e.getMessage();
    }
    assumeThat(obstacle).as("why no cgroup can be created here").isEmpty();
  }

  private static NodeGroup group() throws IOException {
    return ControlGroups.own().createGroup("test", LIMITS);
  }

  private static List<Path> directories() throws IOException {
    ControlGroups own = ControlGroups.own();
    String name = "fjordmq-perf-" + ProcessHandle.current().pid() + "-test";
    return List.of(own.cpu().resolve(name), own.memory().resolve(name));
  }

  @Test
  void shouldContainAProcessFromItsStart() throws Exception {
    NodeGroup group = group();
    Process process =
        new ProcessBuilder(
                group.wrap(List.of("sh", "-c", "cat /proc/self/cgroup; echo end; sleep 60")))
            .start();
    assertThat(process.inputReader().lines().takeWhile(line -> !line.equals("end")))
        .filteredOn(line -> line.endsWith("-test"))
        .isNotEmpty();
    assertThat(group.processes()).contains(process.pid());
    assertThat(Files.readString(directories().get(0).resolve("cpu.cfs_quota_us")))
        .isEqualTo("50000\n");
    assertThat(Files.readString(directories().get(1).resolve("memory.limit_in_bytes")))
        .isEqualTo((1L << 30) + "\n");
    group.close();
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(directories()).noneMatch(Files::exists);
  }

  @Test
  void shouldReportThrottlingAndPeakMemory() throws Exception {
    NodeLimits little = new NodeLimits(0.02, 1); // less than it gets even if the host is busy
    try (NodeGroup group = ControlGroups.own().createGroup("test", little)) {
      Process process =
          new ProcessBuilder(group.wrap(List.of("sh", "-c", "while :; do :; done"))).start();
      while (group.reading().throttled() == 0) {
        assertThat(process.isAlive()).isTrue();
        TimeUnit.MILLISECONDS.sleep(20);
      }
      assertThat(group.reading().periods()).isGreaterThanOrEqualTo(group.reading().throttled());
      assertThat(group.reading().peakBytes()).isBetween(1L, 1L << 30);
      assertThat(group.reading().oomKills()).isZero();
    }
  }

  @Test
  void shouldReportOomKills() throws Exception {
    NodeLimits small = new NodeLimits(1, 1.0 / 64);
    try (NodeGroup group = ControlGroups.own().createGroup("test", small)) {
      Process process =
          new ProcessBuilder(group.wrap(List.of("sh", "-c", "a=x; while :; do a=$a$a; done")))
              .start();
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
      assertThat(group.reading().oomKills()).isPositive();
    }
  }

  @Test
  void shouldNotTouchAnExistingGroup() throws Exception {
    try (NodeGroup group = group()) {
      Process process = new ProcessBuilder(group.wrap(List.of("sleep", "60"))).start();
      assertThatThrownBy(NodeGroupTest::group)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("already");
      assertThat(process.isAlive()).isTrue();
      assertThat(directories()).allMatch(Files::exists);
    }
  }

  @Test
  @Tag("slow")
  void shouldSizeTheJvmByTheMemoryLimit() throws Exception {
    Path root = Path.of("..").toAbsolutePath().normalize();
    BrokerProcess.build(root, directory);
    NodeGroup group = group();
    try (BrokerProcess broker =
        BrokerProcess.startFjordmq(
            "node", root, directory.resolve("node"), new NodeConfig(), false, group::wrap)) {
      assertThat(group.processes()).contains(broker.pid());
      assertThat(Files.readString(Path.of("/proc/" + broker.pid() + "/cmdline")).split("\0", -1))
          .contains("-Xmx409m", "-XX:MaxDirectMemorySize=204m");
    } finally {
      group.close();
    }
    assertThat(directories()).noneMatch(Files::exists);
  }
}
