package io.fjordmq.broker.security;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Validates the files that {@code securityConfig} refers to. Runs before the node opens anything.
 */
public final class SecurityFiles {
  /** A check that throws an exception if it finds a problem. */
  @FunctionalInterface
  private interface Check {
    void run() throws SecurityStartException;
  }

  private final List<String> problems = new ArrayList<>();

  private SecurityFiles() {}

  /**
   * Reads the password file, the ACL file and the plugin directory, without loading any plugin
   * classes. Blocks on the disk.
   *
   * @param plugins the values of the {@code plugins} section, by {@code name.key}
   * @return one message, with the key and the file, for each file that cannot be used
   */
  public static List<String> problems(SecuritySettings settings, Map<String, String> plugins) {
    SecurityFiles files = new SecurityFiles();
    if (!settings.passwordFile().isEmpty()) {
      files.check(
          () ->
              new WatchedFile<>(
                  "securityConfig.passwordFile",
                  settings.passwordFile(),
                  PasswordFile::read,
                  SecurityObserver.NONE));
    }
    if (!settings.aclFile().isEmpty()) {
      files.check(
          () ->
              new WatchedFile<>(
                  Authorization.ACL_FILE,
                  settings.aclFile(),
                  AclFile::read,
                  SecurityObserver.NONE));
    }
    files.check(() -> PluginFolder.read(settings.pluginDir(), plugins));
    return files.problems;
  }

  private void check(Check check) {
    try {
      check.run();
    } catch (SecurityStartException e) {
      problems.add(String.valueOf(e.getMessage()));
    }
  }
}
