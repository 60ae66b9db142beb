package io.fjordmq.broker.security;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.RuleTemplate;
import io.fjordmq.api.auth.Template;
import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.api.plugin.Permissions.Rule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rules of an ACL file in Mosquitto's format. Immutable.
 *
 * <pre>
 *   topic read public/#            for clients without a user name: lines before the first user
 *   user alice                     the following lines apply to alice
 *   topic readwrite alice/#        read, write, readwrite (the default) or deny
 *   pattern write dev/%c/state     for all clients; %c: client identifier, %u: user name, and
 *                                  all other placeholders of clients
 * </pre>
 *
 * <p>As in Mosquitto, anything that is not allowed is denied. The deny rules of a user take
 * precedence over all other rules of that user, and deny patterns take precedence over all other
 * patterns. Patterns do not apply to clients whose user name or client identifier contains a
 * wildcard, or that have no value for one of the placeholders; patterns with {@code %u}, for
 * example, do not apply to anonymous clients. A name that begins with {@code $} cannot begin a
 * filter.
 */
final class AclFile {
  /** One allow or deny line; the filter of a pattern may contain placeholders. */
  private record Line(boolean allow, Access access, String filter, String origin) {
    private RuleTemplate pattern() {
      return new RuleTemplate(allow, access, Template.parse(filter), Set.of(), null, origin);
    }
  }

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
  private List<RuleTemplate> patternTemplates = List.of();

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
        section = acl.add(line, section, file + ":" + number);
      } catch (IllegalArgumentException e) {
        throw new IOException(file + ":" + number + ": " + e.getMessage(), e);
      }
    }
    acl.patternTemplates = acl.patterns.lines().stream().map(Line::pattern).toList();
    return acl;
  }

  /**
   * @param place the file and the number of the line
   * @return the section to which the next line belongs
   */
  private Section add(String line, Section section, String place) {
    int blank = line.indexOf(' ');
    String word = blank < 0 ? line : line.substring(0, blank);
    String rest = blank < 0 ? "" : line.substring(blank + 1).strip();
    switch (word) {
      case "user" -> {
        require(!rest.isEmpty(), "user must be followed by a name");
        return users.computeIfAbsent(rest, name -> new Section());
      }
      case "topic" -> section.addLine(rule(rest, place + ": " + line));
      case "pattern" -> {
        Line pattern = rule(rest, place + ": " + line);
        Template.parse(pattern.filter); // reports unknown placeholders
        patterns.addLine(pattern);
      }
      default ->
          throw new IllegalArgumentException(
              "a line must begin with user, topic or pattern, not '" + word + "'");
    }
    return section;
  }

  private static Line rule(String text, String origin) {
    int blank = text.indexOf(' ');
    String filter = blank < 0 ? text : text.substring(blank + 1).strip();
    String access = blank < 0 ? "readwrite" : text.substring(0, blank);
    require(!filter.isEmpty(), "a topic filter is missing");
    require(
        !TopicFilter.parse(filter).isShared(),
        "a rule must contain the topic filter without $share/<name>/");
    return switch (access) {
      case "read" -> new Line(true, Access.READ, filter, origin);
      case "write" -> new Line(true, Access.WRITE, filter, origin);
      case "readwrite" -> new Line(true, Access.READ_WRITE, filter, origin);
      case "deny" -> new Line(false, Access.READ_WRITE, filter, origin);
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
  TopicRules rulesOf(ClientContext client) {
    List<Rule> rules = new ArrayList<>();
    List<String> origins = new ArrayList<>();
    String userName = client.userName();
    Section section = userName == null ? anonymous : users.get(userName);
    if (section != null) {
      for (Line line : section.lines()) {
        rules.add(new Rule(line.allow, line.access, TopicFilter.parse(line.filter)));
        origins.add(line.origin);
      }
    }
    if (!hasWildcard(client.clientId()) && (userName == null || !hasWildcard(userName))) {
      TopicRules ofPatterns = TopicRules.of(patternTemplates, client);
      rules.addAll(ofPatterns.rules());
      origins.addAll(ofPatterns.origins());
    }
    return new TopicRules(List.copyOf(rules), List.copyOf(origins));
  }

  private static boolean hasWildcard(String name) {
    return name.indexOf('+') >= 0 || name.indexOf('#') >= 0;
  }
}
