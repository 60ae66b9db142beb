package io.fjordmq.auth.tls;

import io.fjordmq.api.auth.ProviderSettings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The names of the PEM files for TLS as text, because JDBC drivers create their classes for TLS
 * themselves and can only pass text to them. The files are read for each connection, so renewed
 * certificates are used without a restart.
 *
 * @param text the path in the configuration, then a key and a value per line
 */
public record PemFiles(String text) {
  private static final List<String> KEYS = List.of("trustFile", "certFile", "keyFile");

  /**
   * Checks the settings for TLS, including the contents of the files.
   *
   * @param tls whether connections use TLS
   * @param enabledBy the values of the key {@code tls} that enable it, for error messages
   * @return null without TLS
   * @throws IllegalArgumentException if a file is invalid, or another key for TLS is set without
   *     TLS; the message begins with the key
   */
  public static @Nullable PemFiles of(ProviderSettings settings, boolean tls, String enabledBy) {
    if (tls) {
      PemContext.of(settings); // reports invalid files
      return of(settings);
    }
    for (String key : List.of("trustFile", "certFile", "keyFile", "verifyHost")) {
      if (settings.isSet(key)) {
        throw new IllegalArgumentException(
            settings.path() + "." + key + " needs " + settings.path() + ".tls: " + enabledBy);
      }
    }
    return null;
  }

  /** Reads the keys {@code trustFile}, {@code certFile} and {@code keyFile}, but not the files. */
  public static PemFiles of(ProviderSettings settings) {
    StringBuilder text = new StringBuilder(settings.path());
    for (String key : KEYS) {
      if (settings.isSet(key)) {
        text.append('\n').append(key).append('=').append(settings.text(key));
      }
    }
    return new PemFiles(text.toString());
  }

  /**
   * Reads the files.
   *
   * @throws IllegalArgumentException if a file is invalid; the message begins with its key
   */
  public PemContext read() {
    String[] lines = text.split("\n", -1);
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 1; i < lines.length; i++) {
      int equal = lines[i].indexOf('=');
      values.put(lines[i].substring(0, equal), lines[i].substring(equal + 1));
    }
    return PemContext.read(new ProviderSettings(lines[0], values));
  }
}
