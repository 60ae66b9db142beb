package io.fjordmq.broker.security;

import io.fjordmq.broker.providers.BuiltInType;
import io.fjordmq.broker.providers.ProviderCatalog;
import io.fjordmq.broker.providers.ProviderEntry;
import io.fjordmq.broker.providers.ProviderMeter;
import io.fjordmq.broker.providers.ProviderOpening;
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
    files.check(() -> RevocationCheck.verify(settings));
    files.check(() -> PluginDirectory.read(settings.pluginDir(), plugins));
    files.problems.addAll(BuiltInSettings.conflicts(settings));
    files.checkProviders(settings, settings.authenticationProviders());
    files.checkProviders(settings, settings.authorizationProviders());
    return files.problems;
  }

  private void checkProviders(SecuritySettings settings, List<ProviderEntry> entries) {
    problems.addAll(
        new ProviderOpening(
                new ProviderCatalog(), settings.providerTimeout(), info -> ProviderMeter.NONE)
            .problems(entries));
    for (ProviderEntry entry : entries) {
      BuiltInType type = BuiltInType.named(entry.type());
      if (type == BuiltInType.X509) {
        check(() -> BuiltInSettings.userNameSource(entry));
      } else if (type == BuiltInType.SCRAM) {
        check(() -> BuiltInSettings.scram(entry));
      } else if (type == BuiltInType.PASSWORD_FILE) {
        check(() -> read(entry, settings.passwordFile(), PasswordFile::read));
      } else if (type == BuiltInType.ACL_FILE) {
        check(() -> read(entry, settings.aclFile(), AclFile::read));
      }
    }
  }

  private static <T> void read(ProviderEntry entry, String fallback, WatchedFile.Reader<T> reader)
      throws SecurityStartException {
    new WatchedFile<>(
        entry.path() + ".file",
        BuiltInSettings.file(entry, fallback),
        reader,
        SecurityObserver.NONE);
  }

  private void check(Check check) {
    try {
      check.run();
    } catch (SecurityStartException e) {
      problems.add(String.valueOf(e.getMessage()));
    }
  }
}
