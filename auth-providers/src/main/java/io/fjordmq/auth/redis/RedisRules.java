package io.fjordmq.auth.redis;

import io.fjordmq.api.Qos;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.api.auth.RuleProvider;
import io.fjordmq.api.auth.RuleResult;
import io.fjordmq.api.auth.RuleTemplate;
import io.fjordmq.api.auth.Template;
import io.fjordmq.auth.rules.RulesJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads rules from Redis hashes: topic filters, each with an action as in EMQX 4 or EMQX 5. All
 * rules allow.
 */
final class RedisRules implements RuleProvider {
  private static final Logger LOG = LoggerFactory.getLogger(RedisRules.class);
  private static final int MAX_CHARS = 65_536;

  private final RedisConnection connection;
  private final RedisCommand command;
  private final JsonMapper json = JsonMapper.builder().build();

  RedisRules(RedisConnection connection, RedisCommand command) {
    this.connection = connection;
    this.command = command;
  }

  @Override
  public CompletionStage<RuleResult> rules(ClientContext client) {
    String key = command.keyOf(client);
    if (key == null) {
      return CompletableFuture.completedFuture(new RuleResult(List.of(), null));
    }
    Map<String, String> found = new LinkedHashMap<>();
    AtomicInteger seen = new AtomicInteger();
    return connection
        .readAll(
            (topic, action) -> {
              if (seen.incrementAndGet() <= RulesJson.MAX_RULES
                  && topic.length() + action.length() <= MAX_CHARS) {
                found.put(topic, action);
              }
            },
            key)
        .thenCompose(
            count ->
                seen.get() > RulesJson.MAX_RULES
                    ? CompletableFuture.failedFuture(
                        ProviderException.aboutClient(
                            "more than " + RulesJson.MAX_RULES + " rules at the key " + key, null))
                    : CompletableFuture.completedFuture(new RuleResult(rulesOf(key, found), null)));
  }

  private List<RuleTemplate> rulesOf(String key, Map<String, String> found) {
    List<RuleTemplate> rules = new ArrayList<>();
    found.forEach(
        (topic, action) -> {
          try {
            rules.add(ruleOf(key, topic, action));
          } catch (IllegalArgumentException | JacksonException e) {
            // Rules only allow, so leaving one out never gives a client more rights.
            LOG.debug("Ignoring an invalid rule: {} key={} topic={}", e.getMessage(), key, topic);
          }
        });
    return rules;
  }

  private RuleTemplate ruleOf(String key, String topic, String action) {
    String origin = key;
    if (action.startsWith("{")) {
      Map<String, Object> rule = new LinkedHashMap<>(json.readValue(action, Map.class));
      rule.put("permission", "allow");
      rule.remove("topics");
      rule.put("topic", topic);
      return RulesJson.templates(List.of(rule), origin).get(0);
    }
    Set<Qos> all = Set.of();
    boolean equal = topic.startsWith("eq ");
    String filter = equal ? topic.substring(3) : topic;
    if (equal && (filter.indexOf('+') >= 0 || filter.indexOf('#') >= 0)) {
      throw new IllegalArgumentException("'eq' with wildcards is not supported");
    }
    return new RuleTemplate(
        true,
        RulesJson.access(action),
        Template.parse(filter),
        all,
        null,
        origin + ": " + topic + " " + action);
  }

  @Override
  public @Nullable String cacheKey(ClientContext client) {
    return command.keyOf(client);
  }

  @Override
  public void close() {
    connection.close();
  }
}
