package io.fjordmq.perf.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.scenario.YamlRecords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table of targets.
 *
 * @param work what is measured, for readers
 * @param run name of a scenario or benchmark
 * @param set parameters of the benchmark; null if it has its defaults
 * @param targets targets for the medians of these figures
 */
public record TargetRow(
    @JsonProperty(required = true) String work,
    @JsonProperty(required = true) String run,
    @Nullable Map<String, String> set,
    @JsonProperty(required = true) Map<ResultMetric, Target> targets) {
  /** Returns whether mosquitto must be measured as well. */
  public boolean comparesWithMosquitto() {
    return targets.values().stream().anyMatch(Target::ofMosquitto);
  }

  /** Returns the rows of a file by name, in the order of the file. */
  public static Map<String, TargetRow> read(Path file) throws IOException {
    return YamlRecords.read(Files.readString(file), file.toString(), TargetRow.class);
  }
}
