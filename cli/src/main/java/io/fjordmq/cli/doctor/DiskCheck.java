package io.fjordmq.cli.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/** The disk of the data directory. */
final class DiskCheck implements Check {
  private static final Set<String> NETWORK =
      Set.of(
          "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "fuse.sshfs");

  private static final Set<String> VOLATILE = Set.of("tmpfs", "ramfs");
  private static final Set<String> UNSAFE_OPTIONS =
      Set.of("nobarrier", "barrier=0", "data=writeback");

  private static final double MILLI = 1e6;
  private static final double SLOW_MILLIS = 10;
  private static final long GIB = 1L << 30;

  private final KernelFiles machine;
  private final NodeConfiguration configuration;
  private final Path directory;
  private final boolean measures;

  /**
   * @param dataDirectory the data directory, which may not exist yet
   * @param measures whether to write to the disk
   */
  DiskCheck(
      KernelFiles machine, NodeConfiguration configuration, Path dataDirectory, boolean measures) {
    this.machine = machine;
    this.configuration = configuration;
    this.directory = existing(dataDirectory.toAbsolutePath().normalize());
    this.measures = measures;
  }

  /** Returns the directory, or the nearest parent that exists. */
  private static Path existing(Path directory) {
    Path existing = directory;
    while (!Files.isDirectory(existing) && existing.getParent() != null) {
      existing = existing.getParent();
    }
    return existing;
  }

  @Override
  public Stream<Finding> findings() {
    return Stream.of(fileSystem(), freeSpace(), latency()).flatMap(findings -> findings);
  }

  private Stream<Finding> fileSystem() {
    String check = "file system of " + directory;
    Optional<Mount> found = Mount.of(machine, directory);
    if (found.isEmpty()) {
      return Stream.of(Finding.unknown(check, "/proc/self/mountinfo does not list it"));
    }
    Mount mount = found.get();
    Function<String, Finding> problem =
        why ->
            Finding.of(
                check,
                Status.PROBLEM,
                mount.type(),
                "a local file system, such as ext4 or xfs",
                why,
                "move dataDir to a local disk");
    if (NETWORK.contains(mount.type())) {
      return Stream.of(
          problem.apply("writes depend on the network, and locks and fsync on the file server"));
    }
    if (VOLATILE.contains(mount.type())) {
      return Stream.of(problem.apply("all data is lost when the host restarts"));
    }
    if (mount.type().equals("overlay")) {
      return Stream.of(
          problem.apply("all data is lost when the container is removed; mount a volume"));
    }
    Optional<String> unsafe = mount.options().stream().filter(UNSAFE_OPTIONS::contains).findFirst();
    return Stream.of(
        unsafe.isEmpty()
            ? Finding.ok(check, mount.type(), "a local file system")
            : Finding.of(
                check,
                Status.PROBLEM,
                mount.type() + " with " + unsafe.get(),
                "without " + unsafe.get(),
                "a power failure can lose or corrupt synced data",
                "remove the option from /etc/fstab and mount the file system again"));
  }

  private Stream<Finding> freeSpace() {
    long minimum = configuration.number("diskConfig.minFreeBytes");
    long snapshot = configuration.number("raftPortConfig.snapshotReserveBytes");
    long log = 2 * configuration.number("consensusConfig.log.maxWalBytes");
    // Room for the log and a snapshot above the limit at which the node stops leading ranges.
    long wanted = Math.max(minimum + snapshot + log, 4 * GIB);
    try {
      long free = Files.getFileStore(directory).getUsableSpace();
      Status status = free < minimum ? Status.PROBLEM : free < wanted ? Status.WARNING : Status.OK;
      String check = "free space in " + directory;
      return Stream.of(
          status == Status.OK
              ? Finding.ok(check, Sizes.text(free), "at least " + Sizes.text(wanted))
              : Finding.of(
                  check,
                  status,
                  Sizes.text(free),
                  "at least " + Sizes.text(wanted),
                  "below diskConfig.minFreeBytes (%s), the node leads no range and refuses messages"
                          .formatted(Sizes.text(minimum))
                      + " that must be stored",
                  "free space, or move dataDir to a larger disk"));
    } catch (IOException e) {
      return Stream.of(Finding.unknown("free space in " + directory, String.valueOf(e)));
    }
  }

  private Stream<Finding> latency() {
    if (!measures) {
      return Stream.empty();
    }
    String check = "fsync in " + directory;
    try {
      FsyncProbe.Latency latency = FsyncProbe.measure(directory);
      double median = latency.median() / MILLI;
      double high = latency.percentile99() / MILLI;
      String found =
          String.format(
              Locale.ROOT,
              "median %.2f ms, p99 %.2f ms (%d writes)",
              median,
              high,
              latency.writes());
      String wanted = "p99 below %.0f ms".formatted(SLOW_MILLIS);
      if (high < SLOW_MILLIS) {
        return Stream.of(Finding.ok(check, found, wanted));
      }
      double limit = configuration.millis("diskConfig.slowAfter");
      return Stream.of(
          Finding.of(
              check,
              limit > 0 && high >= limit ? Status.PROBLEM : Status.WARNING,
              found,
              wanted,
              "each QoS 1 and QoS 2 message waits for an fsync on a majority of the nodes",
              "use a local SSD or NVMe disk, and check what else writes to this one: iostat -x 1"));
    } catch (IOException e) {
      return Stream.of(
          Finding.unknown(
              check,
              "user %s cannot write there: %s; run this command as the user that runs the node"
                  .formatted(System.getProperty("user.name"), e)));
    }
  }
}
