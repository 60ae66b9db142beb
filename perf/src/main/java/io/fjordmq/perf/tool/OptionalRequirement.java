package io.fjordmq.perf.tool;

import java.util.Locale;

/** The requirements of a scenario that {@code --without} can drop. */
enum OptionalRequirement {
  /** Clients connect without a user name. */
  USERS,
  /** Processors and memory of each node are not limited. */
  NODE_LIMITS;

  /** Returns what to do if it cannot be met. */
  String advice() {
    return "--without " + this + " runs the scenario without it, and the report says so";
  }

  /** Returns the word on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
