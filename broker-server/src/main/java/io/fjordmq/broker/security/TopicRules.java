package io.fjordmq.broker.security;

import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.plugin.Decision;
import io.fjordmq.api.plugin.Permissions.Rule;
import java.util.List;

/**
 * The topic rules of one client. The first rule that matches the topic and the kind of access
 * decides. Immutable.
 *
 * @param origins for each rule, its text and its line in the file; empty if there is no file
 */
record TopicRules(List<Rule> rules, List<String> origins) {

  /** Rules that were not read from a file. */
  TopicRules(List<Rule> rules) {
    this(rules, List.of());
  }

  /** How many of the topics matched by a filter the client may read. */
  enum Coverage {
    NONE,
    PARTIAL,
    ALL
  }

  Decision decide(Topic topic, boolean write) {
    for (Rule rule : rules) {
      if (appliesTo(rule, write) && rule.filter().matches(topic)) {
        return rule.allow() ? Decision.ALLOW : Decision.DENY;
      }
    }
    return Decision.PASS;
  }

  /** Describes the rule that decides; empty if none does or it was not read from a file. */
  String origin(Topic topic, boolean write) {
    for (int i = 0; i < origins.size(); i++) {
      if (appliesTo(rules.get(i), write) && rules.get(i).filter().matches(topic)) {
        return origins.get(i);
      }
    }
    return "";
  }

  /**
   * Describes the rule that denies reading all topics that the filter matches; empty if there is
   * none or it was not read from a file.
   */
  String originOfDenial(TopicFilter filter) {
    for (int i = 0; i < origins.size(); i++) {
      Rule rule = rules.get(i);
      if (!rule.allow()
          && rule.access().reads()
          && FilterRelations.covers(rule.filter().pattern(), filter.pattern())) {
        return origins.get(i);
      }
    }
    return "";
  }

  private static boolean appliesTo(Rule rule, boolean write) {
    return write ? rule.access().writes() : rule.access().reads();
  }

  /**
   * Returns how much of a subscription the client may read. With {@link Coverage#PARTIAL}, every
   * message is checked again before it is sent.
   */
  Coverage readable(TopicFilter filter) {
    boolean whole = true;
    boolean any = false;
    for (Rule rule : rules) {
      if (!rule.access().reads()) {
        continue;
      }
      String pattern = rule.filter().pattern();
      if (!rule.allow()) {
        if (FilterRelations.covers(pattern, filter.pattern())) {
          break; // later rules cannot change the result
        }
        whole &= !FilterRelations.overlap(pattern, filter.pattern());
      } else if (FilterRelations.covers(pattern, filter.pattern())) {
        return whole ? Coverage.ALL : Coverage.PARTIAL;
      } else {
        any |= FilterRelations.overlap(pattern, filter.pattern());
      }
    }
    return any ? Coverage.PARTIAL : Coverage.NONE;
  }
}
