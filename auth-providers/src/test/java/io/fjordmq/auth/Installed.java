package io.fjordmq.auth;

import org.junit.jupiter.api.Assumptions;

/** Skips tests of servers that are not installed. */
public final class Installed {
  private Installed() {}

  /** Skips the test unless the server is installed. */
  public static void assume(boolean isInstalled, String debianPackage) {
    Assumptions.assumeTrue(
        isInstalled, debianPackage + " is not installed; bin/test.sh installs this package");
  }
}
