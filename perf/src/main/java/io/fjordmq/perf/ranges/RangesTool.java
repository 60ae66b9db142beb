package io.fjordmq.perf.ranges;

import io.fjordmq.perf.machine.MachineFacts;
import io.fjordmq.perf.report.JsonFormatter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code RangesTool CHECKOUT HERE throughput RUNS SECONDS WARM_SECONDS} or {@code … idle RUNS
 * SECONDS RANGES}; started by {@code bin/ranges.sh}. Prints a table and writes it as JSON.
 */
public final class RangesTool {
  private RangesTool() {}

  /** Runs a range benchmark; see the class. */
  public static void main(String[] args) throws Exception {
    if (args.length != 6 || !List.of("throughput", "idle").contains(args[2])) {
      throw new IllegalArgumentException(
          "usage: RangesTool CHECKOUT HERE throughput RUNS SECONDS WARM_SECONDS | idle RUNS SECONDS"
              + " RANGES");
    }
    Path checkout = Path.of(args[0]);
    int runs = Integer.parseInt(args[3]);
    int seconds = Integer.parseInt(args[4]);
    int last = Integer.parseInt(args[5]);
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("command", "bin/ranges.sh " + String.join(" ", List.of(args).subList(2, 6)));
    result.put("commit", MachineFacts.commit(checkout));
    result.putAll(MachineFacts.all());
    result.put(
        "results",
        args[2].equals("idle")
            ? new IdleRanges(checkout, last, seconds).measure(runs)
            : new Throughput(checkout, seconds, last).measure(runs));
    Path folder = Files.createDirectories(Path.of(args[1]).resolve("perf-reports"));
    String time = LocalDateTime.now().format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss"));
    Path json = folder.resolve("ranges-" + args[2] + "-" + time + ".json");
    Files.writeString(json, JsonFormatter.write(result));
    System.out.println("JSON: " + json);
  }
}
