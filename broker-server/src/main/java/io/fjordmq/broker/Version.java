package io.fjordmq.broker;

import java.util.Objects;

/** The version of this build. */
final class Version {
  private Version() {}

  /** The version from the jar's manifest; "unpackaged" when running from class files. */
  static String text() {
    return Objects.requireNonNullElse(
        Version.class.getPackage().getImplementationVersion(), "unpackaged");
  }
}
