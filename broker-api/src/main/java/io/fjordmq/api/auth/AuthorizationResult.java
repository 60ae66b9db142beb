package io.fjordmq.api.auth;

import io.fjordmq.api.plugin.Decision;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The result of an {@link ActionProvider}.
 *
 * @param decision allow, deny, or pass to leave the decision to the next provider
 * @param rule the rule that decided, for operators; empty if it is not known
 * @param maxAge how long the result may be cached at most; zero to not cache it, null to let the
 *     broker decide
 * @since 0.1.0
 */
public record AuthorizationResult(Decision decision, String rule, @Nullable Duration maxAge) {}
