package io.fjordmq.perf.machine;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Facts about the host that readers of a report need. */
public final class HostInfo {
  private static final Path PROC = Path.of("/proc");

  private HostInfo() {}

  /** Returns the facts by name, in the order of reports. */
  public static Map<String, String> all() throws InterruptedException {
    Map<String, String> facts = new LinkedHashMap<>();
    var runtime = ManagementFactory.getRuntimeMXBean();
    var system = ManagementFactory.getOperatingSystemMXBean();
    facts.put("processors", system.getAvailableProcessors() + " × " + cpuModel());
    facts.put("memory", field("meminfo", "MemTotal:") / 1024 + " MB");
    facts.put("system", system.getName() + " " + system.getVersion() + ", " + system.getArch());
    facts.put(
        "congestion control of loopback",
        congestionControl(
            Program.output("ip", "route", "get", "127.0.0.1"),
            line(PROC.resolve("sys/net/ipv4/tcp_congestion_control"))));
    facts.put("load before", line(PROC.resolve("loadavg")));
    facts.put("JVM of the tool", runtime.getVmName() + " " + runtime.getVmVersion());
    return facts;
  }

  /**
   * Returns the TCP congestion control algorithm: that of the route if it has its own, otherwise
   * the default.
   *
   * @param route as in the output of {@code ip route get}; empty if unknown
   * @param defaultAlgorithm the default of the system
   */
  static String congestionControl(String route, String defaultAlgorithm) {
    Matcher matcher = Pattern.compile("\\bcongctl (?:lock )?(\\S+)").matcher(route);
    return matcher.find() ? matcher.group(1) : defaultAlgorithm;
  }

  private static String cpuModel() {
    return lines(PROC.resolve("cpuinfo")).stream()
        .filter(line -> line.startsWith("model name"))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElse("processor");
  }

  /** Returns the memory available to this process and its children, in bytes. */
  public static long memoryBytes() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
  }

  /** Returns the available memory in kilobytes. */
  public static long availableKilobytes() {
    return field("meminfo", "MemAvailable:");
  }

  /** Returns the open-file limit of this process, which its children inherit. */
  public static long openFiles() {
    return field("self/limits", "Max open files");
  }

  private static long field(String file, String name) {
    return lines(PROC.resolve(file)).stream()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(name.length()).strip().split("\\s+", -1)[0])
        .mapToLong(text -> text.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(text))
        .findFirst()
        .orElse(Long.MAX_VALUE);
  }

  private static String line(Path file) {
    List<String> lines = lines(file);
    return lines.isEmpty() ? "unknown" : lines.get(0);
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      return List.of(); // omit the fact if the file does not exist or is not readable
    }
  }

  /** Returns the commit of a checkout, and whether it has changes. */
  public static String commit(Path checkout) throws InterruptedException {
    String git = checkout.toString();
    String commit = Program.output("git", "-C", git, "rev-parse", "--short=12", "HEAD");
    if (commit.isEmpty()) {
      return "unknown"; // a release has no git repository
    }
    boolean changed = !Program.output("git", "-C", git, "status", "--porcelain").isEmpty();
    return changed ? commit + " with changes" : commit;
  }
}
