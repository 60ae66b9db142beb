package io.fjordmq.broker.security;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.api.plugin.Permissions.Rule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rules of an ACL file in Mosquitto's format. Immutable.
 *
 * <pre>
 *   topic read public/#            for clients without a user name: lines before the first user
 *   user alice                     the following lines apply to alice
 *   topic readwrite alice/#        read, write, readwrite (the default) or deny
 *   pattern write dev/%c/state     for all clients; %c: client identifier, %u: user name
 * </pre>
 *
 * <p>As in Mosquitto, anything that is not allowed is denied. The deny rules of a user take
 * precedence over all other rules of that user, and deny patterns take precedence over all other
 * patterns. Patterns do not apply to clients whose user name or client identifier contains a
 * wildcard; patterns with {@code %u} do not apply to anonymous clients.
 */
final class AclFile {
  /** One allow or deny line; its filter may contain placeholders. */
  private record Line(boolean allow, Access access, String filter) {}

  /** The rules of one user, or the patterns. Deny rules come first. */
  private static final class Section {
    private final List<Line> denials = new ArrayList<>();
    private final List<Line> grants = new ArrayList<>();

    private void addLine(Line line) {
      (line.allow ? grants : denials).add(line);
    }

    private List<Line> lines() {
      List<Line> lines = new ArrayList<>(denials);
      lines.addAll(grants);
      return lines;
    }
  }

  private final Map<String, Section> users = new HashMap<>();
  private final Section anonymous = new Section();
  private final Section patterns = new Section();

  private AclFile() {}

  static AclFile read(Path file) throws IOException {
    AclFile acl = new AclFile();
    Section section = acl.anonymous;
    int number = 0;
    for (String raw : TextFile.lines(file)) {
      number++;
      String line = raw.strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      try {
        section = acl.add(line, section);
      } catch (IllegalArgumentException e) {
        throw new IOException(file + ":" + number + ": " + e.getMessage(), e);
      }
    }
    return acl;
  }

  /**
   * @return the section to which the next line belongs
   */
  private Section add(String line, Section section) {
    int blank = line.indexOf(' ');
    String word = blank < 0 ? line : line.substring(0, blank);
    String rest = blank < 0 ? "" : line.substring(blank + 1).strip();
    switch (word) {
      case "user" -> {
        require(!rest.isEmpty(), "user must be followed by a name");
        return users.computeIfAbsent(rest, name -> new Section());
      }
      case "topic" -> section.addLine(rule(rest));
      case "pattern" -> patterns.addLine(rule(rest));
      default ->
          throw new IllegalArgumentException(
              "a line must begin with user, topic or pattern, not '" + word + "'");
    }
    return section;
  }

  private static Line rule(String text) {
    int blank = text.indexOf(' ');
    String filter = blank < 0 ? text : text.substring(blank + 1).strip();
    String access = blank < 0 ? "readwrite" : text.substring(0, blank);
    require(!filter.isEmpty(), "a topic filter is missing");
    require(
        !TopicFilter.parse(filter).isShared(),
        "a rule must contain the topic filter without $share/<name>/");
    return switch (access) {
      case "read" -> new Line(true, Access.READ, filter);
      case "write" -> new Line(true, Access.WRITE, filter);
      case "readwrite" -> new Line(true, Access.READ_WRITE, filter);
      case "deny" -> new Line(false, Access.READ_WRITE, filter);
      default ->
          throw new IllegalArgumentException(
              "access must be read, write, readwrite or deny, not '" + access + "'");
    };
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }

  /** Returns the rules that apply to a client. */
  TopicRules rulesOf(String clientId, @Nullable String userName) {
    List<Rule> rules = new ArrayList<>();
    Section section = userName == null ? anonymous : users.get(userName);
    if (section != null) {
      section.lines().forEach(line -> add(rules, line, line.filter));
    }
    if (!hasWildcard(clientId) && (userName == null || !hasWildcard(userName))) {
      for (Line line : patterns.lines()) {
        if (userName != null || !line.filter.contains("%u")) {
          add(rules, line, substitute(line.filter, clientId, userName));
        }
      }
    }
    return new TopicRules(List.copyOf(rules));
  }

  private static boolean hasWildcard(String name) {
    return name.indexOf('+') >= 0 || name.indexOf('#') >= 0;
  }

  /** Substitutes %c and %u in one pass, because a client identifier may itself contain %u. */
  private static String substitute(String pattern, String clientId, @Nullable String userName) {
    StringBuilder filter = new StringBuilder();
    for (int i = 0; i < pattern.length(); i++) {
      if (pattern.startsWith("%c", i)) {
        filter.append(clientId);
        i++;
      } else if (pattern.startsWith("%u", i)) {
        filter.append(userName);
        i++;
      } else {
        filter.append(pattern.charAt(i));
      }
    }
    return filter.toString();
  }

  private static void add(List<Rule> rules, Line line, String filter) {
    try {
      rules.add(new Rule(line.allow, line.access, TopicFilter.parse(filter)));
    } catch (IllegalArgumentException e) {
      // With an empty or very long name, the pattern is not a valid filter and matches
      // nothing.
      return;
    }
  }
}
