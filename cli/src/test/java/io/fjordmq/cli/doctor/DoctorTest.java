package io.fjordmq.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The checks find what is wrong with a machine, and only that. */
class DoctorTest {
  @TempDir Path root;
  @TempDir Path data;

  private FakeKernelFiles machine;

  @BeforeEach
  void tune() {
    machine = new FakeKernelFiles(root);
  }

  @Test
  void shouldFindNothingWrongWithATunedMachine() {
    List<Finding> findings = machine.examine(data, OptionalLong.empty());
    assertThat(findings)
        .filteredOn(finding -> finding.status().compareTo(Status.NOTE) > 0)
        .filteredOn(finding -> !finding.check().startsWith("free space")) // of the real disk
        .isEmpty();
    assertThat(findings)
        .extracting(Finding::check)
        .contains("fs.nr_open", "net.core.somaxconn", "memory", "swap", "clock synchronization");
    assertThat(findings)
        .allSatisfy(
            finding -> {
              assertThat(finding.check()).isNotBlank();
              boolean needsChange = finding.status().compareTo(Status.NOTE) >= 0;
              assertThat(finding.fix().isBlank()).isEqualTo(!needsChange);
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /proc/sys/fs/nr_open | 1000000 | fs.nr_open | WARNING | sysctl -w fs.nr_open='1000712'
          /proc/sys/fs/file-max | 1000712 | fs.file-max | WARNING | sysctl -w fs.file-max='1100783'
          /proc/sys/fs/epoll/max_user_watches | 1 | fs.epoll.max_user_watches | WARNING | sysctl -w fs.epoll.max_user_watches='1000712'
          /proc/sys/net/core/somaxconn | 128 | net.core.somaxconn | WARNING | sysctl -w net.core.somaxconn='1024'
          /proc/sys/net/ipv4/tcp_max_syn_backlog | 512 | net.ipv4.tcp_max_syn_backlog | WARNING | sysctl -w net.ipv4.tcp_max_syn_backlog='1024'
          /proc/sys/net/ipv4/tcp_syncookies | 0 | net.ipv4.tcp_syncookies | NOTE | sysctl -w net.ipv4.tcp_syncookies='1'
          /proc/sys/net/ipv4/tcp_mem | 1 999999 3 | net.ipv4.tcp_mem | WARNING | sysctl -w net.ipv4.tcp_mem='500000 1000000 1500000'
          /proc/sys/net/netfilter/nf_conntrack_max | 262144 | net.netfilter.nf_conntrack_max | WARNING | sysctl -w net.netfilter.nf_conntrack_max='1250000', or exempt
          /proc/meminfo | MemTotal: 8388608 kB | memory | WARNING | add memory
          /proc/sys/vm/dirty_background_bytes | 1073741824 | vm.dirty_background_bytes | NOTE | sysctl -w vm.dirty_background_bytes='268435456' && sysctl -w vm.dirty_bytes='1073741824'
          /proc/sys/vm/overcommit_memory | 2 | vm.overcommit_memory | WARNING | sysctl -w vm.overcommit_memory='0'
          /sys/kernel/mm/transparent_hugepage/enabled | [always] madvise never | transparent huge pages, enabled | WARNING | echo madvise >/sys/kernel/mm/transparent_hugepage/enabled
          /sys/kernel/mm/transparent_hugepage/defrag | [always] madvise never | transparent huge pages, defrag | WARNING | echo madvise >/sys/kernel/mm/transparent_hugepage/defrag
          /sys/devices/system/clocksource/clocksource0/current_clocksource | hpet | clock source | WARNING | echo tsc >
          /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor | powersave | frequency governor | NOTE | cpupower
          /sys/devices/system/node/node1/cpulist | 2-3 | NUMA | NOTE | numactl
          """)
  void shouldSayWhatToChange(
      String file, String text, String check, Status status, String command) {
    machine.file(file, text);
    Finding finding = machine.find(data, check);
    assertThat(finding.status()).isEqualTo(status);
    assertThat(finding.fix()).startsWith(command);
    assertThat(finding.found()).isNotBlank();
    assertThat(finding.expected()).isNotBlank();
    assertThat(finding.why()).isNotBlank();
  }

  @Test
  void shouldCheckForTheRequestedNumberOfConnections() {
    machine.file("/proc/self/limits", FakeKernelFiles.limits("65536"));
    machine.file("/proc/meminfo", "MemTotal: 2097152 kB");
    assertThat(machine.find(data, "file descriptors of this shell").expected())
        .isEqualTo("at least 1000712");
    assertThat(machine.examine(data, OptionalLong.of(50_000)))
        .filteredOn(
            finding ->
                List.of("file descriptors of this shell", "memory").contains(finding.check()))
        .extracting(Finding::status)
        .containsExactly(Status.OK, Status.OK);
  }

  @Test
  void shouldReadTheLimitsOfTheRunningNode() throws IOException {
    Files.writeString(data.resolve("lock"), "4711\n");
    machine.file("/proc/4711/limits", FakeKernelFiles.limits("4096"));
    machine.file("/proc/4711/cmdline", "java\0io.fjordmq.broker.Main\0");
    Finding finding = machine.find(data, "file descriptors of the running node");
    assertThat(finding.found()).isEqualTo("4096");
    assertThat(finding.fix()).contains("LimitNOFILE=1000712");
    machine.file("/proc/4711/cmdline", "vim\0");
    assertThat(machine.find(data, "file descriptors of this shell").status()).isEqualTo(Status.OK);
  }

  @Test
  void shouldRequireMoreMemoryForTls() {
    machine.file("/proc/meminfo", "MemTotal: 18874368 kB"); // 18 GiB
    assertThat(machine.find(data, "memory").status()).isEqualTo(Status.OK);
    machine.set("mqttServerConfig.tlsListener.port", "0");
    machine.set("mqttServerConfig.tlsListener.maxConnections", "500000");
    Finding finding = machine.find(data, "memory");
    assertThat(finding.status()).isEqualTo(Status.WARNING);
    assertThat(finding.expected()).isEqualTo("24.8 GiB for 1500000 connections");
  }

  @Test
  void shouldRespectTheLimitOfTheCgroup() {
    machine.file("/proc/self/cgroup", "0::/pod/node");
    machine.file("/sys/fs/cgroup/pod/memory.max", "1073741824");
    machine.file("/sys/fs/cgroup/pod/node/memory.max", "max");
    assertThat(machine.find(data, "memory").found()).isEqualTo("1 GiB (limit of the cgroup)");
    machine.file("/proc/self/cgroup", "5:cpu:/x\n4:memory:/y\n");
    machine.file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
    assertThat(machine.find(data, "memory").found()).isEqualTo("32 GiB");
    machine.file("/sys/fs/cgroup/memory/y/memory.limit_in_bytes", "2147483648");
    assertThat(machine.find(data, "memory").found()).isEqualTo("2 GiB (limit of the cgroup)");
  }

  @Test
  void shouldWarnOfSwapUnlessItIsHardlyUsed() {
    machine.file("/proc/swaps", "Filename Type Size Used Priority\n/dev/sdb2 partition 8 0 -2");
    assertThat(machine.find(data, "swap").status()).isEqualTo(Status.WARNING);
    machine.file("/proc/sys/vm/swappiness", "1");
    assertThat(machine.find(data, "swap").status()).isEqualTo(Status.OK);
  }

  @Test
  void shouldWarnOfPortsThatTheKernelMayUse() {
    machine.set("httpConfig.port", "40000");
    String check = "net.ipv4.ip_local_port_range";
    Finding finding = machine.find(data, check);
    assertThat(finding.status()).isEqualTo(Status.WARNING);
    assertThat(finding.fix()).isEqualTo("sysctl -w net.ipv4.ip_local_reserved_ports='40000'");
    machine.file("/proc/sys/net/ipv4/ip_local_reserved_ports", "1-2,50000");
    assertThat(machine.find(data, check).fix()).endsWith("='1-2,50000,40000'");
    machine.file("/proc/sys/net/ipv4/ip_local_reserved_ports", "1-2,39999-40001");
    assertThat(machine.find(data, check).status()).isEqualTo(Status.OK);
  }

  @Test
  void shouldAcceptTheKernelSettingsThatAreShipped() throws IOException {
    Path file = Path.of("deploy/sysctl/60-fjordmq.conf");
    List<String> keys = new ArrayList<>();
    for (String line :
        Files.readAllLines(Files.exists(file) ? file : Path.of("..").resolve(file))) {
      if (line.contains("=") && !line.startsWith("#")) {
        String[] parts = line.replaceFirst("^-", "").split(" = ");
        machine.file("/proc/sys/" + parts[0].replace('.', '/'), parts[1]);
        keys.add(parts[0]);
      }
    }
    assertThat(keys).hasSizeGreaterThan(10);
    machine.set("mqttServerConfig.tcpListener.backlog", "32768");
    assertThat(machine.examine(data, OptionalLong.of(1_000_000)))
        .filteredOn(finding -> keys.contains(finding.check()))
        .hasSizeGreaterThan(5)
        .allMatch(finding -> finding.status() == Status.OK);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void shouldReadFilesOfTheKernelToTheirEnd() {
    KernelFiles real = new KernelFiles(Path.of("/"));
    assertThat(real.text("/proc/sys/kernel/osrelease")).hasValue(System.getProperty("os.version"));
    assertThat(real.numbers("/proc/sys/net/ipv4/ip_local_port_range")).hasSize(2);
  }

  @Test
  void shouldSkipWhatTheKernelDoesNotHave() {
    machine
        .without("/proc/sys/net/netfilter/nf_conntrack_max")
        .without("/proc/sys/net/ipv4/tcp_mem");
    assertThat(machine.examine(data, OptionalLong.empty()))
        .extracting(Finding::check)
        .doesNotContain("net.netfilter.nf_conntrack_max", "net.ipv4.tcp_mem");
  }

  @Test
  void shouldLookForADaemonThatKeepsTheTime() {
    machine.without("/run/systemd/timesync/synchronized");
    assertThat(machine.find(data, "clock synchronization").status()).isEqualTo(Status.WARNING);
    machine.file("/proc/77/comm", "chronyd");
    assertThat(machine.find(data, "clock synchronization").found()).isEqualTo("chronyd is running");
    machine.file("/proc/77/comm", "bash").file("/.dockerenv", "");
    assertThat(machine.find(data, "clock synchronization").status()).isEqualTo(Status.UNKNOWN);
  }

  @Test
  void shouldReportPortsInUse() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(other.getLocalPort());
      machine.set("mqttServerConfig.tcpListener.port", port);
      Finding finding = machine.find(data, "port " + port + " (mqttServerConfig.tcpListener.port)");
      assertThat(finding.status()).isEqualTo(Status.PROBLEM);
      assertThat(finding.fix()).contains("ss -ltnp");
    }
  }

  @Test
  void shouldConnectToSeeds() throws IOException {
    int closed;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = socket.getLocalPort();
    }
    try (ServerSocket open = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      String reachable = "127.0.0.1:" + open.getLocalPort();
      machine.set(
          "clusterConfig.seedEndpoints",
          reachable + ", 127.0.0.1:" + closed + ",fe80::no-address:8899");
      assertThat(machine.find(data, "seed " + reachable).status()).isEqualTo(Status.OK);
      assertThat(machine.find(data, "seed 127.0.0.1:" + closed).found())
          .startsWith("cannot connect");
      assertThat(machine.find(data, "seed fe80::no-address:8899").found())
          .isEqualTo("cannot be resolved");
      machine.set("clusterConfig.host", "127.0.0.1");
      assertThat(machine.find(data, "clusterConfig.host").status()).isEqualTo(Status.PROBLEM);
      machine.set("clusterConfig.seedEndpoints", reachable);
      assertThat(machine.find(data, "clusterConfig.host").status()).isEqualTo(Status.OK);
      machine.set("clusterConfig.host", "fe80::no-address");
      assertThat(machine.find(data, "clusterConfig.host").found()).contains("cannot be resolved");
    }
  }
}
