package io.fjordmq.cli.imports;

import io.fjordmq.cli.api.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the files of users that EMQX's built-in database imports: CSV with a header line, or a JSON
 * array, with {@code user_id}, {@code is_superuser}, and either {@code password} or {@code
 * password_hash} and {@code salt}.
 */
public final class EmqxUsers {
  private final Hashing hashing;
  private final ImportedUsers result = new ImportedUsers();

  /**
   * How the hashes were made, which the files do not say.
   *
   * @param algorithm plain, md5, sha, sha256, sha512, bcrypt or pbkdf2
   * @param saltPosition prefix, suffix or disable
   * @param iterations of PBKDF2 with SHA-256
   */
  public record Hashing(String algorithm, String saltPosition, int iterations) {}

  private EmqxUsers(Hashing hashing) {
    this.hashing = hashing;
  }

  /**
   * Reads a file.
   *
   * @throws IllegalArgumentException if it is neither CSV nor JSON
   */
  public static ImportedUsers read(String text, Hashing hashing) {
    EmqxUsers users = new EmqxUsers(hashing);
    String trimmed = text.strip();
    if (trimmed.startsWith("[")) {
      users.readJson(trimmed);
    } else {
      users.readCsv(trimmed.lines().toList());
    }
    return users.result;
  }

  private void readJson(String text) {
    JsonNode list;
    try {
      list = Json.parse(text);
    } catch (JacksonException e) {
      throw new IllegalArgumentException("the file is not valid JSON", e);
    }
    for (JsonNode user : list) {
      Map<String, String> fields = new LinkedHashMap<>();
      user.properties().forEach(field -> fields.put(field.getKey(), field.getValue().asString("")));
      add(fields);
    }
  }

  private void readCsv(List<String> lines) {
    List<String> header = lines.isEmpty() ? List.of() : cells(lines.get(0));
    if (!header.contains("user_id")) {
      throw new IllegalArgumentException(
          "the first line must name the columns, and one of them must be user_id");
    }
    for (int i = 1; i < lines.size(); i++) {
      List<String> cells = cells(lines.get(i));
      if (cells.size() != header.size()) {
        result.omit(
            "line %d: it has %d columns instead of %d"
                .formatted(i + 1, cells.size(), header.size()));
        continue;
      }
      Map<String, String> fields = new LinkedHashMap<>();
      for (int column = 0; column < header.size(); column++) {
        fields.put(header.get(column), cells.get(column));
      }
      add(fields);
    }
  }

  /** Splits a line; cells in quotation marks can contain commas, and doubled quotation marks. */
  private static List<String> cells(String line) {
    List<String> cells = new ArrayList<>();
    StringBuilder cell = new StringBuilder();
    boolean isQuoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '"' && isQuoted && i + 1 < line.length() && line.charAt(i + 1) == '"') {
        cell.append(c);
        i++;
      } else if (c == '"') {
        isQuoted = !isQuoted;
      } else if (c == ',' && !isQuoted) {
        cells.add(cell.toString());
        cell.setLength(0);
      } else {
        cell.append(c);
      }
    }
    cells.add(cell.toString());
    return cells;
  }

  private void add(Map<String, String> fields) {
    String name = fields.getOrDefault("user_id", "");
    ObjectNode user = Json.object();
    if (fields.getOrDefault("is_superuser", "false").toLowerCase(Locale.ROOT).equals("true")) {
      user.put("is_superuser", true);
    }
    String plain = fields.getOrDefault("password", "");
    String hash = fields.getOrDefault("password_hash", "");
    try {
      if (name.isEmpty()) {
        throw new IllegalArgumentException("user_id is missing");
      }
      if (!plain.isEmpty()) {
        user.put("password", plain);
      } else if (hashing.algorithm.equals("plain") && !hash.isEmpty()) {
        user.put("password", hash);
      } else if (!hash.isEmpty()) {
        user.put("password_hash", hash(hash, fields.getOrDefault("salt", "")));
      } else {
        throw new IllegalArgumentException("the user has neither a password nor a hash");
      }
      result.addUser(name, user);
    } catch (IllegalArgumentException e) {
      result.omit("user '" + name + "': " + e.getMessage());
    }
  }

  /** Returns a hash in the notation of the broker. */
  private String hash(String hash, String salt) {
    if (hash.startsWith("$2")) {
      return hash; // names its function
    }
    byte[] bytes;
    try {
      bytes = HexFormat.of().parseHex(hash.toLowerCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("the hash does not consist of hexadecimal digits", e);
    }
    String encoded = base64(bytes);
    String encodedSalt = base64(salt.getBytes(StandardCharsets.UTF_8));
    if (hashing.algorithm.equals("pbkdf2")) {
      return "$pbkdf2-sha256$%d$%s$%s".formatted(hashing.iterations, encodedSalt, encoded);
    }
    if (hashing.algorithm.equals("bcrypt")) {
      throw new IllegalArgumentException("not a bcrypt hash");
    }
    return salt.isEmpty() || hashing.saltPosition.equals("disable")
        ? "$%s$none$$%s".formatted(hashing.algorithm, encoded)
        : "$%s$%s$%s$%s".formatted(hashing.algorithm, hashing.saltPosition, encodedSalt, encoded);
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }
}
