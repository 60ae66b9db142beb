package io.fjordmq.broker;

import java.util.Objects;

/** What this is a build of. */
final class Version {
  private Version() {}

  /** From the jar; a build that was not packaged has none. */
  static String text() {
    return Objects.requireNonNullElse(
        Version.class.getPackage().getImplementationVersion(), "unpackaged");
  }
}
