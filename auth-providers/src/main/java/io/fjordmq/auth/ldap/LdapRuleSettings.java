package io.fjordmq.auth.ldap;

import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.api.auth.RuleTemplate;
import io.fjordmq.auth.rules.RulesJson;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where the rules of clients are.
 *
 * @param publish the attribute with topic filters that may be published to
 * @param subscribe the attribute with topic filters that may be subscribed to
 * @param all the attribute with topic filters for both
 * @param json the attribute with rules as JSON
 * @param groupRules rules of the members of a group, in the order of the configuration
 */
record LdapRuleSettings(
    LdapLookup lookup,
    NameCheck nameCheck,
    String publish,
    String subscribe,
    String all,
    String json,
    LdapGroups groups,
    Map<LdapGroupReference, List<RuleTemplate>> groupRules) {

  static final List<ProviderKey> KEYS =
      List.of(
          ProviderKey.value("publishAttribute"),
          ProviderKey.value("subscribeAttribute"),
          ProviderKey.value("allAttribute"),
          ProviderKey.value("ruleAttribute"),
          ProviderKey.map("groupRules"));

  static LdapRuleSettings of(ProviderSettings settings) {
    LdapLookup lookup = LdapLookup.of(settings);
    LdapGroups groups = LdapGroups.of(settings);
    Map<LdapGroupReference, List<RuleTemplate>> groupRules = new LinkedHashMap<>();
    for (String group : settings.map("groupRules").keySet()) {
      if (!groups.areUsed()) {
        throw new IllegalArgumentException(
            settings.path() + ".groupRules needs groupBaseDn or memberOfAttribute");
      }
      String key = "groupRules." + group;
      groupRules.put(LdapGroupReference.of(settings, key, group, groups), rulesOf(settings, key));
    }
    return new LdapRuleSettings(
        lookup,
        NameCheck.of(settings, lookup.baseDn().template(), lookup.filter().template()),
        settings.text("publishAttribute", "mqttPublishTopic"),
        settings.text("subscribeAttribute", "mqttSubscriptionTopic"),
        settings.text("allAttribute", "mqttPubSubTopic"),
        settings.text("ruleAttribute", "mqttAclRule"),
        groups,
        Collections.unmodifiableMap(groupRules));
  }

  /** Reads rules such as {@code publish a/#, deny subscribe b}. */
  private static List<RuleTemplate> rulesOf(ProviderSettings settings, String key) {
    List<Map<String, Object>> rules = new ArrayList<>();
    for (String text : settings.list(key)) {
      String rule = text.replaceFirst("^(allow|deny) +", "");
      int space = rule.indexOf(' ');
      rules.add(
          Map.of(
              "permission", text.startsWith("deny ") ? "deny" : "allow",
              "action", space < 0 ? rule : rule.substring(0, space),
              "topic", space < 0 ? "" : rule.substring(space).strip()));
    }
    try {
      return RulesJson.templates(rules, key);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          settings.path()
              + "."
              + key
              + " must be rules such as 'publish a/#, deny subscribe b': "
              + e.getMessage(),
          e);
    }
  }

  /** The attributes of users and groups with rules. */
  List<String> attributesWithRules() {
    return List.of(publish, subscribe, all, json);
  }

  /** The attributes of the entry of a client that its rules need. */
  List<String> attributesToRead() {
    List<String> names = new ArrayList<>(attributesWithRules());
    names.addAll(nameCheck.attributes());
    if (!groups.ofEntry().isEmpty()) {
      names.add(groups.ofEntry());
    }
    return names;
  }
}
