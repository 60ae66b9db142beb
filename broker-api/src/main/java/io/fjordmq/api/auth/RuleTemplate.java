package io.fjordmq.api.auth;

import io.fjordmq.api.Qos;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.api.plugin.Permissions.Rule;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A rule whose topic filter can contain placeholders.
 *
 * @param allow false to deny
 * @param qos the levels of publishes and subscriptions that the rule applies to; empty for all
 * @param retain the RETAIN flag of publishes that the rule applies to; null for both
 * @param origin where the rule comes from, for operators
 * @since 0.1.0
 */
public record RuleTemplate(
    boolean allow,
    Access access,
    Template filter,
    Set<Qos> qos,
    @Nullable Boolean retain,
    String origin) {

  public RuleTemplate {
    qos = Set.copyOf(qos);
  }

  /**
   * Returns the rule of a client; null if the rule does not apply to it, because a value is missing
   * or would change the meaning of the filter ({@link Escaper#ALLOWED_TOPIC}).
   */
  public @Nullable Rule ruleOf(PlaceholderValues client) {
    String text = filter.render(client, allow ? Escaper.ALLOWED_TOPIC : Escaper.DENIED_TOPIC);
    if (text == null) {
      return null;
    }
    try {
      TopicFilter parsed = TopicFilter.parse(text);
      return parsed.isShared() ? null : new Rule(allow, access, parsed, qos, retain);
    } catch (IllegalArgumentException e) {
      return null; // for example because the name of the client makes the filter too long
    }
  }
}
