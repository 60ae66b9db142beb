package io.fjordmq.broker.userdb;

import io.fjordmq.api.Qos;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.auth.Escaper;
import io.fjordmq.api.auth.Placeholder;
import io.fjordmq.api.auth.RuleTemplate;
import io.fjordmq.api.auth.Template;
import io.fjordmq.api.plugin.Permissions.Access;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A rule of a user, a client, a group or all clients. Immutable.
 *
 * @param allow false to deny
 * @param topic a topic filter, which can contain placeholders
 * @param qos the levels of publishes and subscriptions that the rule applies to; empty for all
 * @param retain the RETAIN flag of publishes that the rule applies to; null for both
 */
public record TopicRule(
    boolean allow, Access access, String topic, Set<Qos> qos, @Nullable Boolean retain) {

  private static final int MAX_TOPIC_BYTES = 512;

  public TopicRule {
    qos = Set.copyOf(qos);
  }

  /** Explains why a text cannot be the topic of a rule; empty if it can. */
  public static Optional<String> topicFault(String topic) {
    if (topic.getBytes(StandardCharsets.UTF_8).length > MAX_TOPIC_BYTES) {
      return Optional.of("must have at most " + MAX_TOPIC_BYTES + " bytes in UTF-8");
    }
    try {
      Template template = Template.parse(topic);
      for (Placeholder placeholder : template.placeholders()) {
        if (placeholder.kind().ofAction() || placeholder.kind() == Placeholder.Kind.PASSWORD) {
          return Optional.of("must not contain the placeholder " + placeholder);
        }
      }
      String sample = template.render(placeholder -> "x", Escaper.NONE);
      return sample != null && TopicFilter.parse(sample).isShared()
          ? Optional.of("must be a topic filter without $share/<name>/")
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Returns the rule for evaluation.
   *
   * @param owner who the rule is for, and its number, for operators
   * @throws IllegalArgumentException if the topic contains an unknown placeholder
   */
  RuleTemplate template(String owner) {
    return new RuleTemplate(
        allow, access, Template.parse(topic), qos, retain, owner + ": " + describe());
  }

  private String describe() {
    String action =
        switch (access) {
          case READ -> "subscribe";
          case WRITE -> "publish";
          case READ_WRITE -> "all";
        };
    return (allow ? "allow " : "deny ") + action + " " + topic;
  }
}
