package io.fjordmq.broker.security;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.RuleTemplate;
import io.fjordmq.api.plugin.Decision;
import io.fjordmq.api.plugin.Permissions.Rule;
import java.util.ArrayList;
import java.util.List;

/**
 * The topic rules of one client. The first rule that matches the topic and the kind of access
 * decides. Immutable.
 *
 * @param origins for each rule, its text and where it comes from; empty if this is not known
 */
record TopicRules(List<Rule> rules, List<String> origins) {

  /** Rules whose origin is not known. */
  TopicRules(List<Rule> rules) {
    this(rules, List.of());
  }

  /** Returns the rules of a client; rules that cannot apply to it are left out. */
  static TopicRules of(List<RuleTemplate> templates, ClientContext client) {
    List<Rule> rules = new ArrayList<>();
    List<String> origins = new ArrayList<>();
    for (RuleTemplate template : templates) {
      Rule rule = template.ruleOf(client);
      if (rule != null) {
        rules.add(rule);
        origins.add(template.origin());
      }
    }
    return new TopicRules(List.copyOf(rules), List.copyOf(origins));
  }

  /** The share of the topics matched by a filter that the client may read: all, some or none. */
  enum Coverage {
    /** No rule applies to any of the topics. */
    NONE,
    /** A rule denies all of the topics. */
    DENIED,
    PARTIAL,
    ALL
  }

  /** Decides about a publish. */
  Decision decidePublish(Topic topic, Qos qos, boolean retain) {
    for (int i = 0; i < rules.size(); i++) { // called for each message: no iterator
      Rule rule = rules.get(i);
      if (appliesTo(rule, topic, qos, retain)) {
        return rule.allow() ? Decision.ALLOW : Decision.DENY;
      }
    }
    return Decision.PASS;
  }

  /**
   * Decides about a message to the client. The QoS of a rule concerns only its subscriptions, so
   * rules that deny a subscription with some QoS do not apply.
   */
  Decision decideRead(Topic topic) {
    for (int i = 0; i < rules.size(); i++) { // called for each message: no iterator
      Rule rule = rules.get(i);
      if (rule.access().reads()
          && (rule.allow() || rule.qos().isEmpty())
          && rule.filter().matches(topic)) {
        return rule.allow() ? Decision.ALLOW : Decision.DENY;
      }
    }
    return Decision.PASS;
  }

  /** Describes the rule that decides about a publish; empty if its origin is not known. */
  String publishOrigin(Topic topic, Qos qos, boolean retain) {
    for (int i = 0; i < origins.size(); i++) {
      if (appliesTo(rules.get(i), topic, qos, retain)) {
        return origins.get(i);
      }
    }
    return "";
  }

  private static boolean appliesTo(Rule rule, Topic topic, Qos qos, boolean retain) {
    return rule.access().writes()
        && hasQos(rule, qos)
        && (rule.retain() == null || rule.retain() == retain)
        && rule.filter().matches(topic);
  }

  private static boolean hasQos(Rule rule, Qos qos) {
    return rule.qos().isEmpty() || rule.qos().contains(qos);
  }

  /**
   * Describes the rule that denies reading all topics that the filter matches; empty if there is
   * none or its origin is not known.
   */
  String originOfDenial(TopicFilter filter, Qos qos) {
    for (int i = 0; i < origins.size(); i++) {
      Rule rule = rules.get(i);
      if (!rule.allow()
          && rule.access().reads()
          && hasQos(rule, qos)
          && FilterRelations.covers(rule.filter().pattern(), filter.pattern())) {
        return origins.get(i);
      }
    }
    return "";
  }

  /**
   * Returns how much of a subscription the client may read. With {@link Coverage#PARTIAL}, every
   * message is checked again before it is sent.
   */
  Coverage readable(TopicFilter filter, Qos qos) {
    boolean whole = true;
    boolean any = false;
    for (Rule rule : rules) {
      if (!rule.access().reads() || !hasQos(rule, qos)) {
        continue;
      }
      String pattern = rule.filter().pattern();
      if (!rule.allow()) {
        if (FilterRelations.covers(pattern, filter.pattern())) {
          return any ? Coverage.PARTIAL : Coverage.DENIED; // later rules cannot change the result
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
