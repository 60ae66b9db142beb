package io.fjordmq.broker.security;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Validates the files that {@code securityConfig} refers to before anything is opened. */
public final class SecurityFiles {
  /** A check that throws the problem it found. */
  @FunctionalInterface
  private interface Check {
    void run() throws SecurityStartException;
  }

  private final List<String> problems = new ArrayList<>();

  private SecurityFiles() {}

  /**
   * Reads the password file, the ACL file and the plugin directory; loads no classes of plugins.
   * Blocks on the disk.
   *
   * @param plugins of the {@code plugins} section: {@code name.key} to value
   * @return one message for each file that cannot be used, with the key and the file
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
