package io.fjordmq.broker.security;

import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.broker.providers.BuiltInType;
import io.fjordmq.broker.providers.ProviderEntry;
import io.fjordmq.broker.security.CertificateAuthenticator.Source;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Reads and checks the settings of the providers that are part of the broker. */
final class BuiltInSettings {
  /** What RFC 7677 recommends. */
  private static final int SCRAM_ITERATIONS = 15_000;

  private BuiltInSettings() {}

  /**
   * Returns the file of a provider.
   *
   * @param fallback the value of the older key; empty for none
   */
  static String file(ProviderEntry entry, String fallback) throws SecurityStartException {
    ProviderSettings values = entry.settings();
    String file = values.text("file", fallback);
    if (file.isEmpty()) {
      throw new SecurityStartException(entry.path() + ".file is required but not set");
    }
    return file;
  }

  /** Returns the settings of a SCRAM provider. */
  static ScramPolicy scram(ProviderEntry entry) throws SecurityStartException {
    ProviderSettings values = entry.settings();
    try {
      Set<ScramMechanism> mechanisms = EnumSet.noneOf(ScramMechanism.class);
      for (String word : values.list("mechanisms")) {
        ScramMechanism mechanism = ScramMechanism.named(word.toUpperCase(Locale.ROOT));
        if (mechanism == null) {
          throw values.invalid("mechanisms", "SCRAM-SHA-256, SCRAM-SHA-512 or both", word);
        }
        mechanisms.add(mechanism);
      }
      return ScramPolicy.of(
          mechanisms.isEmpty() ? EnumSet.allOf(ScramMechanism.class) : mechanisms,
          values.number(
              "iterations",
              SCRAM_ITERATIONS,
              ScramVerifier.MIN_ITERATIONS,
              ScramVerifier.MAX_ITERATIONS));
    } catch (IllegalArgumentException e) {
      throw new SecurityStartException(String.valueOf(e.getMessage()), e);
    }
  }

  /** Returns the part of a certificate that is the user name. */
  static Source userNameSource(ProviderEntry entry) throws SecurityStartException {
    String[] words = Arrays.stream(Source.values()).map(Source::key).toArray(String[]::new);
    try {
      String word = entry.settings().oneOf("username", words);
      return Arrays.stream(Source.values())
          .filter(source -> source.key().equals(word))
          .findFirst()
          .orElseThrow();
    } catch (IllegalArgumentException e) {
      throw new SecurityStartException(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * Returns one message for each older key that is set next to a list that does not use it. A file
   * that is silently ignored would be a trap.
   */
  static List<String> conflicts(SecuritySettings settings) {
    List<String> conflicts = new ArrayList<>();
    List<ProviderEntry> authentication = settings.authenticationProviders();
    if (!authentication.isEmpty()) {
      if (settings.useCommonNameAsUsername()) {
        conflicts.add(
            "securityConfig.useCommonNameAsUsername has no effect together with"
                + " securityConfig.authentication; add '- type: x509' to the list and remove the"
                + " key");
      }
      requireUse(conflicts, authentication, BuiltInType.PASSWORD_FILE, settings.passwordFile());
    }
    if (!settings.authorizationProviders().isEmpty()) {
      requireUse(
          conflicts, settings.authorizationProviders(), BuiltInType.ACL_FILE, settings.aclFile());
    }
    return conflicts;
  }

  private static void requireUse(
      List<String> conflicts, List<ProviderEntry> entries, BuiltInType type, String file) {
    boolean used =
        entries.stream()
            .anyMatch(entry -> entry.type().equals(type.type()) && !entry.settings().isSet("file"));
    if (!file.isEmpty() && !used) {
      conflicts.add(
          "securityConfig."
              + type.type()
              + " has no effect together with securityConfig."
              + entries.get(0).chain().label()
              + "; add '- type: "
              + type.type()
              + "' to the list");
    }
  }
}
