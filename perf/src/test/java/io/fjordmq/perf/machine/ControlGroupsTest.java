package io.fjordmq.perf.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.perf.scenario.NodeLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Finding cgroups from the kernel's mount table, and the errors if there are none. */
class ControlGroupsTest {
  private static final String CPU = "33 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu";
  private static final String MEMORY =
      "35 31 0:32 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory";
  private static final String VERSION_2 =
      "41 31 0:38 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate";

  @TempDir Path directory;

  @Test
  void shouldFindTheCgroupsOfThisProcess() throws IOException {
    assertThat(
            ControlGroups.of(List.of(CPU, MEMORY), List.of("4:memory:/user/me", "1:cpu:/", "0::/")))
        .isEqualTo(
            new ControlGroups(
                Path.of("/sys/fs/cgroup/cpu"), Path.of("/sys/fs/cgroup/memory/user/me")));
  }

  @Test
  void shouldRecognizeControllersMountedTogether() throws IOException {
    String both = "33 31 0:29 / /sys/fs/cgroup/both rw - cgroup cgroup rw,cpu,cpuacct,memory";
    ControlGroups groups = ControlGroups.of(List.of(both), List.of("2:cpu,cpuacct,memory:/a"));
    assertThat(groups.cpu()).isEqualTo(Path.of("/sys/fs/cgroup/both/a"));
    assertThat(groups.memory()).isEqualTo(groups.cpu());
  }

  @Test
  void shouldResolvePathsInsideAContainer() throws IOException {
    String part = "35 31 0:32 /docker/a1 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory";
    ControlGroups groups =
        ControlGroups.of(List.of(CPU, part), List.of("1:cpu:/", "2:memory:/docker/a1/mine"));
    assertThat(groups.memory()).isEqualTo(Path.of("/sys/fs/cgroup/memory/mine"));
    assertThatThrownBy(
            () -> ControlGroups.of(List.of(CPU, part), List.of("1:cpu:/", "2:memory:/docker/a12")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("/docker/a12, is not mounted");
  }

  @Test
  void shouldExplainWhyNoCgroupsAreAvailable() {
    assertThatThrownBy(() -> ControlGroups.of(List.of(VERSION_2), List.of("0::/user.slice")))
        .hasMessageContaining("'cpu'")
        .hasMessageContaining("version 2");
    assertThatThrownBy(() -> ControlGroups.of(List.of(CPU, VERSION_2), List.of("1:cpu:/", "0::/")))
        .hasMessageContaining("'memory'")
        .hasMessageContaining("version 2");
    assertThatThrownBy(() -> ControlGroups.of(List.of(), List.of()))
        .hasMessageContaining("no cgroups for 'cpu' are mounted");
    assertThatThrownBy(() -> ControlGroups.of(List.of(CPU, MEMORY), List.of("1:cpu:/")))
        .hasMessageContaining("does not belong to a cgroup with controller 'memory'");
  }

  @Test
  void shouldReportFailedCreationAndLeaveNothing() throws IOException {
    NodeLimits limits = new NodeLimits(1, 1);
    Path nowhere = directory.resolve("nowhere");
    assertThatThrownBy(() -> new ControlGroups(directory, nowhere).probe(limits))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot create a cgroup below " + nowhere);
    // Directories can be created here, but they are not cgroups.
    assertThatThrownBy(() -> new ControlGroups(directory, directory).probe(limits))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cpu.cfs_period_us: no such file");
    try (Stream<Path> remaining = Files.list(directory)) {
      assertThat(remaining).isEmpty();
    }
  }
}
