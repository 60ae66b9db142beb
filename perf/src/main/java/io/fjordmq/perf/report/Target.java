package io.fjordmq.perf.report;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.fjordmq.perf.load.ResultMetric;

/**
 * An upper limit for a figure.
 *
 * @param limit the limit in the unit of the figure, or as a multiple of mosquitto's figure;
 *     infinite for a figure without a target
 * @param ofMosquitto whether the limit is a multiple of mosquitto's figure
 * @param text as in files: a number, {@code NUMBER x mosquitto} or {@code none}
 */
public record Target(double limit, boolean ofMosquitto, @JsonValue String text) {
  private static final String OF_MOSQUITTO = " x mosquitto";

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  static Target parse(Object value) {
    String text = String.valueOf(value);
    String number = text.replace(OF_MOSQUITTO, "");
    double limit = text.equals("none") ? Double.POSITIVE_INFINITY : Double.parseDouble(number);
    return new Target(limit, text.endsWith(OF_MOSQUITTO), text);
  }

  /** Returns the target with the name and the unit of the figure, for readers. */
  String text(ResultMetric metric) {
    return Double.isInfinite(limit)
        ? metric.label()
        : metric.label() + " ≤ " + text + (ofMosquitto ? "" : " " + metric.unit());
  }
}
