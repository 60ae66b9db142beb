package io.fjordmq.cli.doctor;

import java.util.Locale;

/** How serious a finding is, in ascending order. */
public enum Status {
  /** Nothing to change. */
  OK,
  /** The value cannot be read here, for example in a container. */
  UNKNOWN,
  /** An optional improvement. */
  NOTE,
  /** The node works, but supports fewer clients or pauses for longer than it should. */
  WARNING,
  /** The node does not start, or data is at risk. */
  PROBLEM;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
