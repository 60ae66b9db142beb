package io.fjordmq.broker.security;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A file of {@code user:hash} lines in the format of mosquitto_passwd. Immutable; keeps the order
 * of the lines. Empty lines and lines that begin with # are ignored.
 */
record PasswordFile(Map<String, PasswordHash> users) {

  PasswordFile {
    users = Collections.unmodifiableMap(new LinkedHashMap<>(users));
  }

  static PasswordFile read(Path file) throws IOException {
    List<String> lines = TextFile.lines(file);
    Map<String, PasswordHash> users = new LinkedHashMap<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      try {
        add(users, line);
      } catch (IllegalArgumentException e) {
        throw new IOException(file + ":" + (i + 1) + ": " + e.getMessage(), e);
      }
    }
    return new PasswordFile(users);
  }

  private static void add(Map<String, PasswordHash> users, String line) {
    int colon = line.indexOf(':');
    if (colon < 1) {
      throw new IllegalArgumentException("expected a user name followed by ':'");
    }
    String user = line.substring(0, colon);
    PasswordHash hash = PasswordHash.parse(line.substring(colon + 1).strip());
    if (users.put(user, hash) != null) {
      throw new IllegalArgumentException("user " + user + " is listed more than once");
    }
  }

  /**
   * Returns a hash that takes as long to compute as the hashes of most users; null if there are no
   * users. The hash is used for unknown users, so that the response time does not reveal which
   * users exist.
   */
  @Nullable PasswordHash decoy() {
    Map<Class<?>, Integer> kinds = new HashMap<>();
    users.values().forEach(hash -> kinds.merge(hash.getClass(), 1, Integer::sum));
    return users.values().stream()
        .max(
            (one, other) ->
                Integer.compare(
                    kinds.getOrDefault(one.getClass(), 0), kinds.getOrDefault(other.getClass(), 0)))
        .map(PasswordHash::decoy)
        .orElse(null);
  }

  /** The lines of the file. */
  List<String> lines() {
    return users.entrySet().stream()
        .map(entry -> entry.getKey() + ":" + entry.getValue().text())
        .toList();
  }
}
