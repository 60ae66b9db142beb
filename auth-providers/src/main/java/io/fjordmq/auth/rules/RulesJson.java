package io.fjordmq.auth.rules;

import io.fjordmq.api.Qos;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.RuleTemplate;
import io.fjordmq.api.auth.Template;
import io.fjordmq.api.plugin.Permissions;
import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.api.plugin.Permissions.Rule;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads access rules in the two shapes of EMQX: a list of objects with {@code permission}, {@code
 * action}, {@code topic}, {@code qos} and {@code retain}, or an object with the lists of topics
 * {@code pub}, {@code sub} and {@code all}.
 */
public final class RulesJson {
  /** The maximum number of rules of one client, which are evaluated for every message. */
  public static final int MAX_RULES = 1_000;

  private static final String EQUAL = "eq ";

  private RulesJson() {}

  /**
   * Returns the permissions of a client.
   *
   * @param json lists, maps, text, numbers and booleans
   * @param origin where the rules come from, for messages
   * @throws IllegalArgumentException if the rules are not valid; the message says why
   */
  public static Permissions permissions(Object json, ClientContext client, String origin) {
    List<Rule> rules = new ArrayList<>();
    for (RuleTemplate template : templates(json, origin)) {
      Rule rule = template.ruleOf(client);
      if (rule != null) {
        rules.add(rule);
      }
    }
    return new Permissions(rules);
  }

  /**
   * Returns the rules.
   *
   * @throws IllegalArgumentException if the rules are not valid; the message says why
   */
  public static List<RuleTemplate> templates(Object json, String origin) {
    List<RuleTemplate> rules = new ArrayList<>();
    if (json instanceof Collection<?> list) {
      for (Object element : list) {
        if (!(element instanceof Map<?, ?> rule)) {
          throw new IllegalArgumentException("each rule must be an object");
        }
        addRule(rules, rule, origin);
      }
    } else if (json instanceof Map<?, ?> map) {
      addTopics(rules, map.get("pub"), Access.WRITE, origin + " pub");
      addTopics(rules, map.get("sub"), Access.READ, origin + " sub");
      addTopics(rules, map.get("all"), Access.READ_WRITE, origin + " all");
    } else {
      throw new IllegalArgumentException(
          "rules must be a list of objects, or an object with the lists pub, sub and all");
    }
    return rules;
  }

  private static void addRule(List<RuleTemplate> rules, Map<?, ?> rule, String origin) {
    String permission = text(rule.get("permission"), "allow");
    if (!permission.equals("allow") && !permission.equals("deny")) {
      throw new IllegalArgumentException(
          "permission must be allow or deny, not '" + permission + "'");
    }
    Object topics = rule.get("topics") == null ? rule.get("topic") : rule.get("topics");
    Collection<?> all = topics instanceof Collection<?> list ? list : List.of(text(topics, ""));
    for (Object topic : all) {
      add(
          rules,
          permission.equals("allow"),
          access(text(rule.get("action"), "all")),
          text(topic, ""),
          qos(rule.get("qos")),
          retain(rule.get("retain")),
          origin);
    }
  }

  private static void addTopics(
      List<RuleTemplate> rules, @Nullable Object topics, Access access, String origin) {
    if (topics == null) {
      return;
    }
    if (!(topics instanceof Collection<?> list)) {
      throw new IllegalArgumentException("pub, sub and all must be lists of topics");
    }
    for (Object topic : list) {
      add(rules, true, access, text(topic, ""), Set.of(), null, origin);
    }
  }

  /**
   * Adds a rule. {@code eq} before a topic filter means that the filter is no pattern; such rules
   * with wildcards could only allow subscriptions to that very filter, and are refused.
   */
  private static void add(
      List<RuleTemplate> rules,
      boolean allow,
      Access access,
      String topic,
      Set<Qos> qos,
      @Nullable Boolean retain,
      String origin) {
    if (rules.size() >= MAX_RULES) {
      throw new IllegalArgumentException("there are more than " + MAX_RULES + " rules");
    }
    if (topic.isEmpty()) {
      throw new IllegalArgumentException("a rule has no topic");
    }
    boolean equal = topic.startsWith(EQUAL);
    String filter = equal ? topic.substring(EQUAL.length()) : topic;
    if (equal && (filter.indexOf('+') >= 0 || filter.indexOf('#') >= 0)) {
      throw new IllegalArgumentException("'eq' with wildcards is not supported: " + topic);
    }
    rules.add(
        new RuleTemplate(
            allow,
            access,
            Template.parse(filter),
            qos,
            retain,
            origin + ": " + (allow ? "allow " : "deny ") + word(access) + " " + topic));
  }

  private static String word(Access access) {
    return switch (access) {
      case READ -> "subscribe";
      case WRITE -> "publish";
      case READ_WRITE -> "all";
    };
  }

  /**
   * Returns the access of an action: its name, or its number in EMQX 4.
   *
   * @throws IllegalArgumentException if there is no such action
   */
  public static Access access(String action) {
    return switch (action.toLowerCase(Locale.ROOT)) {
      case "subscribe", "sub", "1" -> Access.READ;
      case "publish", "pub", "2" -> Access.WRITE;
      case "all", "pubsub", "3" -> Access.READ_WRITE;
      default ->
          throw new IllegalArgumentException(
              "action must be publish, subscribe or all, not '" + action + "'");
    };
  }

  private static Set<Qos> qos(@Nullable Object value) {
    Set<Qos> levels = EnumSet.noneOf(Qos.class);
    if (value == null) {
      return levels;
    }
    Collection<?> all =
        value instanceof Collection<?> list ? list : List.of(text(value, "").split(",", -1));
    for (Object one : all) {
      levels.add(Qos.of(number(text(one, "").strip())));
    }
    return levels;
  }

  private static int number(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("qos must be 0, 1 or 2, not '" + text + "'", e);
    }
  }

  private static @Nullable Boolean retain(@Nullable Object value) {
    String text = text(value, "all");
    return switch (text) {
      case "all" -> null;
      case "true", "1" -> true;
      case "false", "0" -> false;
      default ->
          throw new IllegalArgumentException(
              "retain must be true, false or all, not '" + text + "'");
    };
  }

  private static String text(@Nullable Object value, String defaultValue) {
    return value == null ? defaultValue : String.valueOf(value);
  }
}
