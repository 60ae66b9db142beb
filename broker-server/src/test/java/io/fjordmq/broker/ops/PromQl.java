package io.fjordmq.broker.ops;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a PromQL expression refers to: metrics, labels, and values of labels. */
final class PromQl {
  private static final Pattern SELECTOR =
      Pattern.compile("\\b((?:fjordmq|jvm|process|system)_[a-z0-9_]+|up)\\b(?:\\{([^}]*)})?");
  private static final Pattern MATCHER = Pattern.compile("(\\w+)(=~|!~|!=|=)\"([^\"]*)\"");
  private static final Pattern GROUPING = Pattern.compile("\\b(?:by|without|on) \\(([^)]*)\\)");

  /**
   * A matcher of a selector.
   *
   * @param values the alternatives, if the value is a list of plain words; else empty
   */
  record LabelMatcher(String metric, String label, List<String> values) {}

  private final Set<String> metrics = new TreeSet<>();
  private final Set<String> groupings = new TreeSet<>();
  private final List<LabelMatcher> matchers = new ArrayList<>();

  private PromQl() {}

  static PromQl parse(String expression) {
    PromQl parsed = new PromQl();
    Matcher selector = SELECTOR.matcher(expression);
    while (selector.find()) {
      parsed.metrics.add(selector.group(1));
      if (selector.group(2) != null) {
        Matcher matcher = MATCHER.matcher(selector.group(2));
        while (matcher.find()) {
          parsed.matchers.add(
              new LabelMatcher(selector.group(1), matcher.group(1), words(matcher.group(3))));
        }
      }
    }
    Matcher grouping = GROUPING.matcher(expression);
    while (grouping.find()) {
      parsed.groupings.addAll(List.of(grouping.group(1).split(", *")));
    }
    return parsed;
  }

  private static List<String> words(String value) {
    return value.matches("[a-z0-9_|]+") ? List.of(value.split("\\|")) : List.of();
  }

  /** The names of the time series, such as {@code fjordmq_raft_fsync_seconds_bucket}. */
  Set<String> metrics() {
    return metrics;
  }

  /** The labels by which results are grouped. */
  Set<String> groupings() {
    return groupings;
  }

  List<LabelMatcher> matchers() {
    return matchers;
  }
}
