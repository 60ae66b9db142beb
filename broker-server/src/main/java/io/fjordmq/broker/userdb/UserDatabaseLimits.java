package io.fjordmq.broker.userdb;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.records.RecordException;
import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Validates users and rules, and bounds how much of them the cluster stores: every node keeps all
 * of them in memory. All methods throw {@link RecordException}.
 */
final class UserDatabaseLimits {
  static final int MAX_USERS = 100_000;
  static final int MAX_RULE_SETS = 100_000;

  /** The bytes of all records of users and rules together, with their keys. */
  static final long MAX_TOTAL_BYTES = 64L << 20;

  static final int MAX_NAME_BYTES = 120;
  static final int MAX_PASSWORD_BYTES = 1_024;
  static final int MAX_GROUPS = 16;
  static final int MAX_ATTRIBUTES = 16;
  static final int MAX_ATTRIBUTE_LENGTH = 256;
  static final int MAX_RULES = 100;

  private UserDatabaseLimits() {}

  /** Whether a user, client or group can have this name, so that it can be looked up. */
  static boolean isName(String name) {
    return !name.isEmpty()
        && name.length() <= MAX_NAME_BYTES
        && bytes(name) <= MAX_NAME_BYTES
        && hasNoControlCharacters(name)
        && isEncodable(name);
  }

  /**
   * @param field the field of the request, for the message
   */
  static void requireName(String field, String name) {
    require(
        isName(name),
        field + " must have 1 to " + MAX_NAME_BYTES + " bytes in UTF-8, and no control characters");
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private static boolean hasNoControlCharacters(String text) {
    return text.chars().noneMatch(Character::isISOControl);
  }

  /** Whether the text has no unpaired surrogates, which MQTT forbids. */
  private static boolean isEncodable(String text) {
    return StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }

  static void requirePassword(@Nullable String password) {
    if (password != null) {
      require(
          !password.isEmpty()
              && password.length() <= MAX_PASSWORD_BYTES
              && bytes(password) <= MAX_PASSWORD_BYTES
              && isEncodable(password),
          "password must have 1 to " + MAX_PASSWORD_BYTES + " bytes in UTF-8");
    }
  }

  static void requireGroups(@Nullable List<String> groups) {
    if (groups != null) {
      require(
          groups.size() <= MAX_GROUPS && new HashSet<>(groups).size() == groups.size(),
          "groups must have at most " + MAX_GROUPS + " different names");
      groups.forEach(group -> requireName("groups", group));
    }
  }

  static void requireAttributes(@Nullable Map<String, String> attributes) {
    if (attributes != null) {
      require(
          attributes.size() <= MAX_ATTRIBUTES,
          "client_attrs must have at most " + MAX_ATTRIBUTES + " attributes");
      attributes.forEach(
          (name, value) ->
              require(
                  !name.isEmpty() && isAttribute(name) && isAttribute(value),
                  "client_attrs must have names and values of at most "
                      + MAX_ATTRIBUTE_LENGTH
                      + " characters without control characters"));
    }
  }

  private static boolean isAttribute(String text) {
    return text.length() <= MAX_ATTRIBUTE_LENGTH
        && hasNoControlCharacters(text)
        && isEncodable(text);
  }

  /** Returns the tenant of a new user. */
  static String tenantFor(Caller caller, @Nullable String requested) {
    String own = caller.tenant();
    require(
        own == null || requested == null || requested.equals(own),
        "tenant must be '" + own + "', the tenant of the caller");
    String tenant = own != null ? own : requested == null ? "" : requested;
    require(
        tenant.isEmpty() || isName(tenant),
        "tenant must have at most "
            + MAX_NAME_BYTES
            + " bytes in UTF-8, and no control characters");
    return tenant;
  }

  /** Returns the key of the rules of an owner. */
  static String requireOwner(RuleOwner owner) {
    if (owner.kind() != RuleOwner.Kind.ALL) {
      requireName("the name of the " + owner.kind().noun(), owner.name());
    }
    String key = owner.key();
    if (key == null || !isEncodable(owner.tenant())) {
      throw invalid(
          "the names of the tenant and of the "
              + owner.kind().noun()
              + " must have at most "
              + MAX_NAME_BYTES
              + " bytes together");
    }
    return key;
  }

  static void requireRules(List<TopicRule> rules) {
    require(rules.size() <= MAX_RULES, "rules must be at most " + MAX_RULES);
    for (TopicRule rule : rules) {
      TopicRule.topicFault(rule.topic())
          .ifPresent(
              fault -> {
                throw invalid("topic: " + fault);
              });
    }
  }

  /**
   * Requires that the cluster may store more. Requests in progress on other nodes may exceed the
   * limits by what they write.
   *
   * @param users the number of users to add
   * @param ruleSets the number of owners of rules to add
   * @param addedBytes by how much the records grow; what does not grow is always permitted
   */
  static void requireCapacity(MetadataView view, int users, int ruleSets, long addedBytes) {
    if (users == 0 && ruleSets == 0 && addedBytes <= 0) {
      return;
    }
    long bytes = addedBytes;
    int storedUsers = 0;
    for (MetadataRecord record : view.withPrefix(StoredClientUser.PREFIX)) {
      storedUsers++;
      bytes += record.key().length() + record.value().length;
    }
    int storedRuleSets = 0;
    for (MetadataRecord record : view.withPrefix(RuleOwner.PREFIX)) {
      storedRuleSets++;
      bytes += record.key().length() + record.value().length;
    }
    requireFree(users == 0 || storedUsers + users <= MAX_USERS, MAX_USERS + " users");
    requireFree(
        ruleSets == 0 || storedRuleSets + ruleSets <= MAX_RULE_SETS,
        MAX_RULE_SETS + " users, clients and groups with rules");
    requireFree(
        addedBytes <= 0 || bytes <= MAX_TOTAL_BYTES,
        (MAX_TOTAL_BYTES >> 20) + " MiB of users and rules");
  }

  private static void requireFree(boolean isFree, String maximum) {
    if (!isFree) {
      throw new RecordException(
          Kind.FULL,
          "the database is full: the maximum is "
              + maximum
              + "; delete some, or use a provider such as redis for more users");
    }
  }

  static void require(boolean valid, String message) {
    if (!valid) {
      throw invalid(message);
    }
  }

  private static RecordException invalid(String message) {
    return new RecordException(Kind.INVALID, message);
  }
}
