package io.fjordmq.broker.rest;

import io.fjordmq.api.Qos;
import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.broker.userdb.TopicRule;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A rule about the topics of MQTT clients, with EMQX's names. */
record AccessRuleJson(
    @Field(
            value =
                "Topic filter, at most 512 bytes in UTF-8; can contain placeholders such as"
                    + " `${username}`",
            rule = TextRule.RULE_TOPIC,
            example = "devices/${username}/#")
        String topic,
    @Field("What the rule does") Permission permission,
    @Field("What the rule applies to; `subscribe` includes receiving messages") RuleAction action,
    @Field(
            value = "QoS levels that the rule applies to; all if absent",
            min = 0,
            max = 2,
            minLength = 1,
            maxLength = 3)
        @Nullable List<Integer> qos,
    @Field("RETAIN flag of publishes that the rule applies to; both if absent")
        @Nullable Boolean retain) {

  /** The effect of a rule. */
  enum Permission {
    ALLOW,
    DENY
  }

  /** The actions that a rule applies to. */
  enum RuleAction {
    PUBLISH,
    SUBSCRIBE,
    ALL
  }

  static AccessRuleJson of(TopicRule rule) {
    return new AccessRuleJson(
        rule.topic(),
        rule.allow() ? Permission.ALLOW : Permission.DENY,
        switch (rule.access()) {
          case READ -> RuleAction.SUBSCRIBE;
          case WRITE -> RuleAction.PUBLISH;
          case READ_WRITE -> RuleAction.ALL;
        },
        rule.qos().isEmpty() ? null : rule.qos().stream().map(Qos::level).sorted().toList(),
        rule.retain());
  }

  TopicRule rule() {
    return new TopicRule(
        permission == Permission.ALLOW,
        switch (action) {
          case SUBSCRIBE -> Access.READ;
          case PUBLISH -> Access.WRITE;
          case ALL -> Access.READ_WRITE;
        },
        topic,
        qos == null
            ? Set.of()
            : qos.stream().map(level -> Qos.values()[level]).collect(Collectors.toSet()),
        retain);
  }
}
