package io.fjordmq.broker.ops;

import io.fjordmq.broker.http.MetricsFormat;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A strict parser of both text formats: every family has one HELP and one TYPE before its samples,
 * samples of a family are adjacent, names fit the type, no sample occurs twice, and an OpenMetrics
 * page ends with {@code # EOF}.
 */
final class MetricsPage {
  private static final Pattern META = Pattern.compile("# (HELP|TYPE|UNIT) ([a-z_0-9]+) (.+)");
  private static final Pattern SAMPLE =
      Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)(\\{(.*)})? (\\S+)");
  private static final Pattern LABEL =
      Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\\\n]|\\\\[\"\\\\n])*)\"(,|$)");
  private static final Map<String, List<String>> SUFFIXES =
      Map.of(
          "counter", List.of("_total"),
          "gauge", List.of(""),
          "info", List.of("_info"),
          "histogram", List.of("_bucket", "_count", "_sum"),
          "summary", List.of("_count", "_sum", ""));

  /** A metric family. */
  static final class Family {
    final String name;
    String help = "";
    String type = "";
    final Set<String> samples = new HashSet<>();

    Family(String name) {
      this.name = name;
    }
  }

  private final MetricsFormat format;
  private final Map<String, Family> families = new LinkedHashMap<>();

  private MetricsPage(MetricsFormat format) {
    this.format = format;
  }

  /**
   * @throws AssertionError if the page violates the format; the message contains the line
   */
  static Map<String, Family> parse(MetricsFormat format, String page) {
    MetricsPage parser = new MetricsPage(format);
    require(page.endsWith("\n"), "the page must end with a line feed");
    List<String> lines = new ArrayList<>(page.lines().toList());
    if (format == MetricsFormat.OPENMETRICS) {
      require(lines.remove(lines.size() - 1).equals("# EOF"), "the page must end with # EOF");
    }
    @Nullable Family current = null;
    for (String line : lines) {
      Matcher meta = META.matcher(line);
      if (meta.matches()) {
        current = parser.meta(current, meta.group(1), meta.group(2), meta.group(3), line);
      } else {
        if (current == null) {
          throw new AssertionError("sample without a family: " + line);
        }
        parser.sample(current, line);
      }
    }
    return parser.families;
  }

  private Family meta(
      @Nullable Family current, String kind, String name, String text, String line) {
    Family family = current;
    if (family == null || !family.name.equals(name)) {
      require(!families.containsKey(name), "the family is not in one piece: " + line);
      family = new Family(name);
      families.put(name, family);
    }
    require(family.samples.isEmpty(), "metadata after samples: " + line);
    if (kind.equals("HELP")) {
      require(family.help.isEmpty(), "a second HELP: " + line);
      family.help = text;
    } else if (kind.equals("TYPE")) {
      require(family.type.isEmpty(), "a second TYPE: " + line);
      require(SUFFIXES.containsKey(text), "unknown type: " + line);
      family.type = text;
    } else {
      require(name.endsWith("_" + text), "the name must end with the unit: " + line);
    }
    return family;
  }

  private void sample(Family family, String line) {
    Matcher sample = SAMPLE.matcher(line);
    require(sample.matches(), "not a sample: " + line);
    require(!family.help.isEmpty() && !family.type.isEmpty(), "no HELP or TYPE: " + line);
    String name = sample.group(1);
    require(names(family).contains(name), "the name does not fit " + family.name + ": " + line);
    String labels = sample.group(3) == null ? "" : sample.group(3);
    requireLabels(labels, line);
    require(family.samples.add(name + "{" + labels + "}"), "a second sample: " + line);
    double value = Double.parseDouble(sample.group(4).replace("Inf", "Infinity"));
    require(!family.type.equals("counter") || value >= 0, "a negative counter: " + line);
  }

  /** In the Prometheus format, the suffix of a counter belongs to the name of the family. */
  private List<String> names(Family family) {
    boolean suffixInName =
        format == MetricsFormat.PROMETHEUS
            && (family.type.equals("counter") || family.name.endsWith("_info"));
    return suffixInName
        ? List.of(family.name)
        : SUFFIXES.getOrDefault(family.type, List.of()).stream()
            .map(suffix -> family.name + suffix)
            .toList();
  }

  private static void requireLabels(String labels, String line) {
    Matcher label = LABEL.matcher(labels);
    Set<String> names = new HashSet<>();
    int end = 0;
    while (end < labels.length()) {
      require(label.find(end) && label.start() == end, "malformed labels: " + line);
      require(names.add(label.group(1)), "a label occurs twice: " + line);
      end = label.end();
    }
  }

  private static void require(boolean valid, String fault) {
    if (!valid) {
      throw new AssertionError(fault);
    }
  }
}
