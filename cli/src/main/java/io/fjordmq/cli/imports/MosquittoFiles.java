package io.fjordmq.cli.imports;

import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.imports.ImportedUsers.Kind;
import io.fjordmq.cli.imports.ImportedUsers.RulesOf;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads mosquitto's password files and ACL files. */
public final class MosquittoFiles {
  private static final Pattern HASH = Pattern.compile("\\$(?:6|7|argon2id)\\$.+");

  private MosquittoFiles() {}

  /**
   * Reads a password file.
   *
   * @param lines the lines of the file
   */
  public static ImportedUsers passwords(List<String> lines) {
    ImportedUsers result = new ImportedUsers();
    int number = 0;
    for (String raw : lines) {
      number++;
      String line = raw.strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      int colon = line.indexOf(':');
      String hash = line.substring(colon + 1).strip();
      if (colon < 1) {
        result.omit("line " + number + ": it is not 'user:hash'");
      } else if (!HASH.matcher(hash).matches()) {
        result.omit(
            "line %d: the password of user '%s' is not hashed; run mosquitto_passwd -U first"
                .formatted(number, line.substring(0, colon)));
      } else {
        result.addUser(line.substring(0, colon), Json.object().put("password_hash", hash));
      }
    }
    return result;
  }

  /** A line of an ACL file. */
  private record Line(RulesOf owner, boolean allow, String action, String topic) {}

  /**
   * Reads an ACL file. Lines that deny come before those that allow, because mosquitto evaluates
   * them first.
   *
   * @param lines the lines of the file
   */
  public static ImportedUsers acl(List<String> lines) {
    ImportedUsers result = new ImportedUsers();
    List<Line> found = new ArrayList<>();
    RulesOf section = null;
    int number = 0;
    for (String raw : lines) {
      number++;
      String line = raw.strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String[] words = line.split("\\s+", 2);
      String rest = words.length < 2 ? "" : words[1];
      if (words[0].equals("user") && !rest.isEmpty()) {
        section = new RulesOf(Kind.USERS, rest);
        result.addOwner(section);
        continue;
      }
      Line rule = rule(words[0], rest, section);
      if (rule != null) {
        found.add(rule);
      } else if (words[0].equals("topic") && section == null) {
        result.omit(
            "line %d: '%s' is for clients without a user name, for which there are no rules"
                .formatted(number, line));
      } else {
        result.omit("line %d: '%s' is not a line of an ACL file".formatted(number, line));
      }
    }
    for (boolean allow : new boolean[] {false, true}) {
      found.stream()
          .filter(rule -> rule.allow == allow)
          .forEach(rule -> result.addRule(rule.owner, allow, rule.action, rule.topic));
    }
    return result;
  }

  private static @Nullable Line rule(String word, String rest, @Nullable RulesOf section) {
    RulesOf owner =
        word.equals("pattern") ? new RulesOf(Kind.ALL, "") : word.equals("topic") ? section : null;
    if (owner == null || rest.isEmpty()) {
      return null;
    }
    String[] words = rest.split("\\s+", 2);
    String topic = words.length < 2 ? rest : words[1];
    return switch (words.length < 2 ? "readwrite" : words[0]) {
      case "read" -> new Line(owner, true, "subscribe", topic);
      case "write" -> new Line(owner, true, "publish", topic);
      case "readwrite" -> new Line(owner, true, "all", topic);
      case "deny" -> new Line(owner, false, "all", topic);
      default -> new Line(owner, true, "all", rest); // a topic with spaces
    };
  }
}
