package io.fjordmq.perf.report;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import tools.jackson.databind.json.JsonMapper;

/** A JSON report, parsed. */
public final class ParsedReport {
  private final Object content;

  public ParsedReport(String json) {
    this.content = new JsonMapper().readValue(json, Object.class);
  }

  /**
   * The value at a path.
   *
   * @param path keys of maps and numbers of list entries
   */
  public Object at(Object... path) {
    Object value = content;
    for (Object step : path) {
      value =
          step instanceof Integer number
              ? ((List<?>) value).get(number)
              : Objects.requireNonNull(((Map<?, ?>) value).get(step), () -> "no " + step);
    }
    return value;
  }

  public List<?> list(Object... path) {
    return (List<?>) at(path);
  }

  public double number(Object... path) {
    return ((Number) at(path)).doubleValue();
  }
}
