package io.fjordmq.broker.security;

import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.plugin.Decision;
import io.fjordmq.api.plugin.Permissions.Rule;
import java.util.List;

/** Topic rules of one client; the first rule that matches topic and access decides. Immutable. */
record TopicRules(List<Rule> rules) {

  /** Which part of the topics of a filter the client may read. */
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

  private static boolean appliesTo(Rule rule, boolean write) {
    return write ? rule.access().writes() : rule.access().reads();
  }

  /**
   * The readable part of a subscription. With {@link Coverage#PARTIAL}, every message is checked
   * again before it is sent.
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
          break; // later rules cannot matter any more
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
