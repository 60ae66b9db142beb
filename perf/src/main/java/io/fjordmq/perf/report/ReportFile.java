package io.fjordmq.perf.report;

import io.fjordmq.perf.load.Figure;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/** Reads what {@link ReportJson} wrote. */
final class ReportFile {
  private final Map<?, ?> content;

  private ReportFile(Map<?, ?> content) {
    this.content = content;
  }

  /**
   * @throws IOException if the file is not a report of this tool; the message names the file and
   *     the reason
   */
  static ReportFile read(Path file) throws IOException {
    Map<?, ?> content = parse(file);
    if (!(content.get("medians") instanceof Map<?, ?> medians) || medians.isEmpty()) {
      throw stranger(file);
    }
    if (!Objects.equals(content.get("format"), ReportJson.FORMAT)) {
      throw new IOException(
          file
              + " has format "
              + content.get("format")
              + ", but this tool reads format "
              + ReportJson.FORMAT
              + "; repeat the run with the command in the report");
    }
    return new ReportFile(content);
  }

  private static Map<?, ?> parse(Path file) throws IOException {
    try {
      // JSON as written by this tool is valid YAML.
      LoaderOptions options = new LoaderOptions();
      options.setCodePointLimit(Integer.MAX_VALUE);
      Object content = new Yaml(new SafeConstructor(options)).load(Files.readString(file));
      if (content instanceof Map<?, ?> map) {
        return map;
      }
    } catch (YAMLException e) {
      throw new IOException(file + " is not valid JSON: " + e.getMessage(), e);
    } catch (NoSuchFileException e) {
      throw new IOException("file not found: " + file, e);
    } catch (CharacterCodingException e) {
      throw new IOException(file + " is not a text file", e);
    } catch (IOException e) {
      throw new IOException("cannot read " + file + ": " + e, e);
    }
    throw stranger(file);
  }

  private static IOException stranger(Path file) {
    return new IOException(
        file + " is not a report of this tool; compare needs the .json files of two runs");
  }

  @Nullable Object value(String key) {
    return content.get(key);
  }

  String text(String key) {
    return String.valueOf(content.get(key));
  }

  /** The brokers, in the order of their first runs; at least one. */
  List<String> brokers() {
    return map(content, "medians").keySet().stream().map(String::valueOf).toList();
  }

  /** The facts by name, in their order. */
  Map<String, Object> facts() {
    Map<String, Object> facts = new LinkedHashMap<>();
    map(content, "facts").forEach((name, fact) -> facts.put(String.valueOf(name), fact));
    return facts;
  }

  /** The value over all runs of a broker. */
  OptionalDouble figure(String broker, Figure figure) {
    Map<?, ?> brokers = map(content, figure.isFault() ? "sums" : "medians");
    return map(brokers, broker).get(ReportJson.key(figure)) instanceof Number number
        ? OptionalDouble.of(number.doubleValue())
        : OptionalDouble.empty();
  }

  /** The number of runs of a broker. */
  int runs(String broker) {
    return runsOf(broker).size();
  }

  /** The faults of a broker, run by run. */
  List<String> faults(String broker) {
    return runsOf(broker).stream()
        .flatMap(run -> list(run, "faults").stream())
        .map(String::valueOf)
        .toList();
  }

  private List<Map<?, ?>> runsOf(String broker) {
    return list(content, "runs").stream()
        .<Map<?, ?>>mapMulti(
            (run, next) -> {
              if (run instanceof Map<?, ?> map && broker.equals(map.get("broker"))) {
                next.accept(map);
              }
            })
        .toList();
  }

  private static Map<?, ?> map(Map<?, ?> from, String key) {
    return from.get(key) instanceof Map<?, ?> map ? map : Map.of();
  }

  private static List<?> list(Map<?, ?> from, String key) {
    return from.get(key) instanceof List<?> list ? list : List.of();
  }
}
