package io.fjordmq.api.auth;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a {@link RuleProvider}.
 *
 * @param rules the first rule that matches an action decides; if none matches, the next provider
 *     decides
 * @param maxAge how long the result may be cached at most; zero to not cache it, null to let the
 *     broker decide
 * @since 0.1.0
 */
public record RuleResult(List<RuleTemplate> rules, @Nullable Duration maxAge) {

  public RuleResult {
    rules = List.copyOf(rules);
  }
}
