package io.fjordmq.broker;

import java.util.Objects;

/** The version of this build. */
final class Version {
  private Version() {}

  /** The version in the manifest of the jar; "unpackaged" when run from class files. */
  static String text() {
    return Objects.requireNonNullElse(
        Version.class.getPackage().getImplementationVersion(), "unpackaged");
  }
}
