package io.fjordmq.broker.userdb;

import io.fjordmq.api.auth.RuleTemplate;
import java.util.ArrayList;
import java.util.List;

/**
 * The rules of an owner; the first rule that matches an action decides. Immutable.
 *
 * @param rules may be empty, so that a group can exist before it has rules
 */
public record RuleSet(RuleOwner owner, List<TopicRule> rules) {

  public RuleSet {
    rules = List.copyOf(rules);
  }

  /** Returns the rules for evaluation. */
  List<RuleTemplate> templates() {
    List<RuleTemplate> templates = new ArrayList<>(rules.size());
    for (TopicRule rule : rules) {
      templates.add(rule.template("rule " + (templates.size() + 1) + " of " + owner));
    }
    return templates;
  }
}
