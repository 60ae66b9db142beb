package io.fjordmq.broker.rest;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A path with variables, such as {@code /nodes/{node}}. A variable matches one segment that is not
 * empty. Immutable.
 */
record PathTemplate(List<String> segments) {
  static PathTemplate of(String path) {
    return new PathTemplate(List.of(path.substring(1).split("/", -1)));
  }

  /** The values of the variables if the template matches the decoded segments of a path. */
  Optional<Map<String, String>> match(List<String> path) {
    if (!matches(path)) {
      return Optional.empty();
    }
    Map<String, String> variables = new LinkedHashMap<>();
    for (int i = 0; i < path.size(); i++) {
      String segment = segments.get(i);
      if (isVariable(segment)) {
        variables.put(segment.substring(1, segment.length() - 1), path.get(i));
      }
    }
    return Optional.of(variables);
  }

  private boolean matches(List<String> path) {
    if (path.size() != segments.size()) {
      return false;
    }
    for (int i = 0; i < path.size(); i++) {
      String segment = segments.get(i);
      if (isVariable(segment) ? path.get(i).isEmpty() : !segment.equals(path.get(i))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the template with the same name for all variables, to detect templates that match the
   * same paths.
   */
  List<String> shape() {
    List<String> shape = new ArrayList<>();
    segments.forEach(segment -> shape.add(isVariable(segment) ? "{}" : segment));
    return shape;
  }

  private static boolean isVariable(String segment) {
    return segment.startsWith("{");
  }

  long variables() {
    return segments.stream().filter(PathTemplate::isVariable).count();
  }
}
