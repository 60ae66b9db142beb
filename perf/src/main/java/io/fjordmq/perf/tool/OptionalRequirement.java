package io.fjordmq.perf.tool;

import java.util.Locale;

/** The requirements of a scenario that {@code --without} can drop. */
enum OptionalRequirement {
  /** Each client has its own user; without this requirement, clients are anonymous. */
  USERS,
  /** Users are in Redis; without this requirement, they are in files of the broker. */
  REDIS,
  /** Processors and memory of each node are limited. */
  NODE_LIMITS;

  /** Returns what to do if the requirement cannot be met. */
  String advice() {
    return "--without " + this + " runs the scenario without it, and the report says so";
  }

  /** Returns the name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
