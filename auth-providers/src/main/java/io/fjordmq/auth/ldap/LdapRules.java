package io.fjordmq.auth.ldap;

import com.unboundid.ldap.sdk.Entry;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.api.auth.RuleProvider;
import io.fjordmq.api.auth.RuleResult;
import io.fjordmq.api.auth.RuleTemplate;
import io.fjordmq.auth.rules.RulesJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Reads rules from the entries of clients and of their groups, and from the configuration. */
final class LdapRules implements RuleProvider {
  private static final Logger LOG = LoggerFactory.getLogger(LdapRules.class);

  private final LdapDirectory directory;
  private final LdapRuleSettings settings;
  private final JsonMapper json = JsonMapper.builder().build();

  LdapRules(LdapDirectory directory, LdapRuleSettings settings) {
    this.directory = directory;
    this.settings = settings;
  }

  @Override
  public CompletionStage<RuleResult> rules(ClientContext client) {
    return directory.submit(() -> new RuleResult(rulesOf(client), null));
  }

  private List<RuleTemplate> rulesOf(ClientContext client) throws ProviderException {
    Entry entry = settings.lookup().find(directory, client, settings.attributesToRead());
    if (entry == null || settings.nameCheck().mismatch(client, entry) != null) {
      return List.of();
    }
    List<RuleTemplate> rules = new ArrayList<>(rulesIn(entry));
    for (LdapGroups.Group group :
        settings.groups().groupsOf(directory, client, entry, settings.attributesWithRules())) {
      if (group.entry() != null) {
        rules.addAll(rulesIn(group.entry()));
      }
      settings
          .groupRules()
          .forEach(
              (reference, more) -> {
                if (reference.matches(group)) {
                  rules.addAll(more);
                }
              });
    }
    if (rules.size() > RulesJson.MAX_RULES) {
      throw ProviderException.aboutClient(
          "more than " + RulesJson.MAX_RULES + " rules for " + entry.getDN(), null);
    }
    return rules;
  }

  /** Rules as JSON come first, because they can deny. */
  private List<RuleTemplate> rulesIn(Entry entry) throws ProviderException {
    List<RuleTemplate> rules = new ArrayList<>();
    for (String text : values(entry, settings.json())) {
      try {
        Object rule = json.readValue(text, Object.class);
        boolean single = rule instanceof Map<?, ?> map && map.containsKey("permission");
        rules.addAll(RulesJson.templates(single ? List.of(rule) : rule, entry.getDN()));
      } catch (IllegalArgumentException | JacksonException e) {
        // Leaving out a rule that denies would give the client more rights.
        throw ProviderException.aboutClient(
            entry.getDN() + ": " + settings.json() + " is not a valid rule: " + e.getMessage(), e);
      }
    }
    addTopics(rules, entry, settings.publish(), "publish");
    addTopics(rules, entry, settings.subscribe(), "subscribe");
    addTopics(rules, entry, settings.all(), "all");
    return rules;
  }

  private static void addTopics(
      List<RuleTemplate> rules, Entry entry, String attribute, String action) {
    for (String topic : values(entry, attribute)) {
      Map<String, Object> rule = Map.of("permission", "allow", "action", action, "topic", topic);
      try {
        rules.addAll(RulesJson.templates(List.of(rule), entry.getDN()));
      } catch (IllegalArgumentException e) {
        // These rules only allow, so leaving one out never gives a client more rights.
        LOG.debug("Ignoring an invalid rule: {} entry={}", e.getMessage(), entry.getDN());
      }
    }
  }

  private static List<String> values(Entry entry, String attribute) {
    String[] values = entry.getAttributeValues(attribute);
    return values == null ? List.of() : List.of(values);
  }

  @Override
  public @Nullable String cacheKey(ClientContext client) {
    return settings.lookup().keyOf(client) + client.userName();
  }

  @Override
  public void close() {
    directory.close();
  }
}
