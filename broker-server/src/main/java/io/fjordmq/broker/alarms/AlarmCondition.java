package io.fjordmq.broker.alarms;

import java.util.Map;
import java.util.TreeMap;

/**
 * A condition that currently holds. Conditions with the same kind and subject are the same.
 *
 * @param subject what the condition concerns, such as a range or a node; empty for the whole node
 * @param message what is wrong and what to do, for the operator; without a period
 * @param details machine-readable values by name
 */
record AlarmCondition(AlarmKind kind, String subject, String message, Map<String, String> details) {
  AlarmCondition {
    details = Map.copyOf(details);
  }

  /** Creates a condition whose details are pairs of a name and a value. */
  static AlarmCondition of(
      AlarmKind kind, String subject, String message, String... namesAndValues) {
    Map<String, String> details = new TreeMap<>();
    for (int i = 0; i + 1 < namesAndValues.length; i += 2) {
      details.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return new AlarmCondition(kind, subject, message, details);
  }

  /** The identity of a condition. */
  record Key(AlarmKind kind, String subject) {}

  Key key() {
    return new Key(kind, subject);
  }
}
