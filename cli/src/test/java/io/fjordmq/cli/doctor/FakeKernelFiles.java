package io.fjordmq.cli.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** A tuned machine in a temporary directory, and the configuration of a node with free ports. */
final class FakeKernelFiles {
  private static final Map<String, String> TUNED =
      Map.ofEntries(
          Map.entry("/proc/self/limits", limits("1048576")),
          Map.entry("/proc/self/cgroup", "0::/"),
          Map.entry("/proc/self/mountinfo", "25 1 254:0 / / rw,noatime - ext4 /dev/vda rw"),
          Map.entry("/proc/meminfo", "MemTotal:       33554432 kB\nMemFree:  1024 kB"),
          Map.entry("/proc/swaps", "Filename Type Size Used Priority"),
          Map.entry("/proc/sys/fs/nr_open", "2097152"),
          Map.entry("/proc/sys/fs/file-max", "9223372036854775807"),
          Map.entry("/proc/sys/fs/epoll/max_user_watches", "5491511"),
          Map.entry("/proc/sys/net/core/somaxconn", "32768"),
          Map.entry("/proc/sys/net/ipv4/tcp_max_syn_backlog", "32768"),
          Map.entry("/proc/sys/net/ipv4/tcp_syncookies", "1"),
          Map.entry("/proc/sys/net/ipv4/ip_local_port_range", "32768\t60999"),
          Map.entry("/proc/sys/net/ipv4/ip_local_reserved_ports", ""),
          Map.entry("/proc/sys/net/ipv4/tcp_mem", "524288\t1048576\t1572864"),
          Map.entry("/proc/sys/net/netfilter/nf_conntrack_max", "1310720"),
          Map.entry("/proc/sys/vm/swappiness", "60"),
          Map.entry("/proc/sys/vm/dirty_background_bytes", "268435456"),
          Map.entry("/proc/sys/vm/dirty_background_ratio", "0"),
          Map.entry("/proc/sys/vm/overcommit_memory", "0"),
          Map.entry("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never"),
          Map.entry(
              "/sys/kernel/mm/transparent_hugepage/defrag",
              "always defer defer+madvise [madvise] never"),
          Map.entry("/sys/devices/system/node/node0/cpulist", "0-1"),
          Map.entry("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc"),
          Map.entry("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance"),
          Map.entry("/run/systemd/timesync/synchronized", ""));

  private final Path root;
  private final Map<String, String> configuration =
      new HashMap<>(
          Map.of(
              "mqttServerConfig.tcpListener.port", "0",
              "mqttServerConfig.tcpListener.host", "127.0.0.1",
              "mqttServerConfig.tcpListener.backlog", "1024",
              "mqttServerConfig.tcpListener.maxConnections", "1000000",
              "storageConfig.maxOpenFiles", "512",
              "diskConfig.minFreeBytes", "0",
              "diskConfig.slowAfter", "2 s"));

  FakeKernelFiles(Path root) {
    this.root = root;
    TUNED.forEach(this::file);
  }

  static String limits(String files) {
    return """
    Limit                     Soft Limit           Hard Limit           Units
    Max open files            1024                 %s              files
    Max processes             unlimited            unlimited            processes
    """
        .formatted(files);
  }

  FakeKernelFiles file(String path, String text) {
    try {
      Path file = root.resolve(path.substring(1));
      Files.createDirectories(file.getParent());
      Files.writeString(file, text + "\n");
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  FakeKernelFiles without(String path) {
    try {
      Files.delete(root.resolve(path.substring(1)));
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  FakeKernelFiles set(String key, String value) {
    configuration.put(key, value);
    return this;
  }

  NodeConfiguration configuration() {
    return new NodeConfiguration(configuration);
  }

  KernelFiles machine() {
    return new KernelFiles(root);
  }

  List<Finding> examine(Path data, OptionalLong connections) {
    return new Doctor(
            machine(), configuration(), new Doctor.Options(root, data, connections, false))
        .runChecks();
  }

  /** Returns the finding of a check. */
  Finding find(Path data, String check) {
    return examine(data, OptionalLong.empty()).stream()
        .filter(finding -> finding.check().equals(check))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no finding of " + check));
  }
}
