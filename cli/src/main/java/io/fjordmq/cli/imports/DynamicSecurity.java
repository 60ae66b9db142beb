package io.fjordmq.cli.imports;

import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.imports.ImportedUsers.Kind;
import io.fjordmq.cli.imports.ImportedUsers.RulesOf;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the file of mosquitto's dynamic security plugin. A role becomes a group with the same name;
 * a client gets its own roles and those of its groups, in the order of their priorities.
 */
public final class DynamicSecurity {
  private static final int MAX_GROUPS = 16;
  private static final String ROLE = "rolename";
  private static final String GROUP = "groupname";
  private static final RulesOf ALL = new RulesOf(Kind.ALL, "");

  private final JsonNode file;
  private final ImportedUsers result = new ImportedUsers();
  private final Map<String, JsonNode> groups = new LinkedHashMap<>();

  private DynamicSecurity(JsonNode file) {
    this.file = file;
  }

  /** Reads a file. */
  public static ImportedUsers read(JsonNode file) {
    DynamicSecurity security = new DynamicSecurity(file);
    for (JsonNode group : file.path("groups")) {
      security.groups.put(text(group, GROUP), group);
    }
    file.path("roles").forEach(security::addRole);
    file.path("clients").forEach(security::addClient);
    security.addDefaults();
    return security.result;
  }

  private static String text(JsonNode node, String field) {
    return node.path(field).asString("");
  }

  /** Returns rules with the highest priority first; equal priorities keep the order of the file. */
  private static List<JsonNode> rulesByPriority(JsonNode list) {
    List<JsonNode> sorted = new ArrayList<>();
    list.forEach(sorted::add);
    sorted.sort(Comparator.comparingInt(one -> -one.path("priority").asInt(0)));
    return sorted;
  }

  /**
   * Returns roles or groups with the highest priority first; equal priorities in the order of their
   * names.
   */
  private static List<JsonNode> byPriority(Iterable<JsonNode> list, String nameField) {
    List<JsonNode> sorted = new ArrayList<>();
    list.forEach(sorted::add);
    sorted.sort(
        Comparator.<JsonNode>comparingInt(one -> -one.path("priority").asInt(-1))
            .thenComparing(one -> text(one, nameField)));
    return sorted;
  }

  /**
   * Adds the rules of a role. Rules that deny receiving come first: mosquitto checks them when a
   * message is delivered, whatever the client was allowed to subscribe to.
   */
  private void addRole(JsonNode role) {
    RulesOf owner = new RulesOf(Kind.GROUPS, text(role, ROLE));
    result.addOwner(owner);
    List<JsonNode> acls = rulesByPriority(role.path("acls"));
    for (JsonNode acl : acls) {
      if (isReceive(acl) && !isAllowed(acl)) {
        addReceiveDeny(owner, text(acl, "topic"));
      }
    }
    List<String> receivable = new ArrayList<>();
    for (JsonNode acl : acls) {
      if (isReceive(acl) && isAllowed(acl)) {
        receivable.add(text(acl, "topic"));
      }
    }
    for (JsonNode acl : acls) {
      addRule(owner, acl, receivable);
    }
  }

  private static boolean isReceive(JsonNode acl) {
    return text(acl, "acltype").equals("publishClientReceive");
  }

  private static boolean isSubscribe(JsonNode acl) {
    return text(acl, "acltype").startsWith("subscribe");
  }

  private static boolean isAllowed(JsonNode acl) {
    return acl.path("allow").asBoolean(false);
  }

  private void addReceiveDeny(RulesOf owner, String topic) {
    result.addRule(owner, false, "subscribe", topic);
    for (JsonNode other : file.path("roles")) {
      if (text(other, ROLE).equals(owner.name())) {
        continue;
      }
      for (JsonNode acl : other.path("acls")) {
        if (isSubscribe(acl) && isAllowed(acl) && Filters.overlap(text(acl, "topic"), topic)) {
          result.omit(
              ("role '%s': deny publishClientReceive '%s': for clients that have the role '%s'"
                      + " before it, because that role allows subscribing to '%s'")
                  .formatted(owner.name(), topic, text(other, ROLE), text(acl, "topic")));
        }
      }
    }
  }

  /**
   * @param receivable the topics that the role may receive
   */
  private void addRule(RulesOf owner, JsonNode acl, List<String> receivable) {
    String type = text(acl, "acltype");
    String topic = text(acl, "topic");
    boolean allow = isAllowed(acl);
    String rule =
        "role '%s': %s %s '%s': ".formatted(owner.name(), allow ? "allow" : "deny", type, topic);
    switch (type) {
      case "publishClientSend" -> result.addRule(owner, allow, "publish", topic);
      case "subscribePattern", "subscribeLiteral" -> {
        boolean isWide = topic.contains("+") || topic.contains("#");
        if (!allow && isWide && type.equals("subscribeLiteral")) {
          result.omit(
              rule + "a rule that denies covers all topics of the filter, not only this filter");
        } else if (allow && !mayReceive(topic, receivable)) {
          result.omit(
              rule
                  + "defaultACLAccess denies publishClientReceive, no rule of the role allows it"
                  + " for all topics of the filter, and a rule that allows subscribing would allow"
                  + " receiving");
        } else {
          result.addRule(owner, allow, "subscribe", topic);
        }
      }
      case "publishClientReceive" -> {
        if (allow) {
          result.omit(rule + "messages can be received where a rule allows subscribing");
        }
      }
      case "unsubscribeLiteral", "unsubscribePattern" ->
          result.omit(rule + "clients may always unsubscribe");
      default -> result.omit(rule + "unknown type");
    }
  }

  private boolean mayReceive(String filter, List<String> receivable) {
    return isAllowedByDefault("publishClientReceive")
        || receivable.stream().anyMatch(other -> Filters.covers(other, filter));
  }

  /** As in mosquitto, access that the file does not mention is denied. */
  private boolean isAllowedByDefault(String type) {
    return file.path("defaultACLAccess").path(type).asBoolean(false);
  }

  private void addClient(JsonNode client) {
    String name = text(client, "username");
    ObjectNode user = Json.object();
    String hash = hash(client);
    if (hash.isEmpty()) {
      result.omit("client '" + name + "': it has no password, so nobody can log in as this user");
    } else {
      user.put("password_hash", hash);
    }
    if (client.path("disabled").asBoolean(false)) {
      user.put("enable", false);
    }
    if (!text(client, "clientid").isEmpty()) {
      result.omit(
          "client '%s': the client identifier '%s'; see sessionConfig.bindClientIdTo"
              .formatted(name, text(client, "clientid")));
    }
    Set<String> roles = new LinkedHashSet<>();
    byPriority(client.path("roles"), ROLE).forEach(role -> roles.add(text(role, ROLE)));
    for (JsonNode membership : memberships(name, client)) {
      JsonNode group = groups.get(text(membership, GROUP));
      if (group != null) {
        byPriority(group.path("roles"), ROLE).forEach(role -> roles.add(text(role, ROLE)));
      }
    }
    ArrayNode list = user.putArray("groups");
    for (String role : roles) {
      if (list.size() < MAX_GROUPS) {
        list.add(role);
      } else {
        result.omit(
            "client '%s': the role '%s', because at most %d groups are possible"
                .formatted(name, role, MAX_GROUPS));
      }
    }
    result.addUser(name, user);
  }

  /** The groups of a client, which the file lists at the client, at the groups, or both. */
  private List<JsonNode> memberships(String name, JsonNode client) {
    List<JsonNode> memberships = new ArrayList<>();
    client.path("groups").forEach(memberships::add);
    for (JsonNode group : groups.values()) {
      for (JsonNode member : group.path("clients")) {
        if (text(member, "username").equals(name)) {
          ObjectNode membership = Json.object().put(GROUP, text(group, GROUP));
          memberships.add(membership.put("priority", member.path("priority").asInt(-1)));
        }
      }
    }
    return byPriority(memberships, GROUP);
  }

  /** Returns the hash as in a password file; empty if there is none. */
  private static String hash(JsonNode client) {
    String encoded = text(client, "encoded_password");
    if (!encoded.isEmpty()) {
      return encoded;
    }
    String hash = text(client, "password");
    String salt = text(client, "salt");
    int iterations = client.path("iterations").asInt(0);
    return hash.isEmpty() || salt.isEmpty() || iterations < 1
        ? "" // mosquitto refuses the client, too
        : "$7$%d$%s$%s".formatted(iterations, salt, hash);
  }

  private void addDefaults() {
    if (isAllowedByDefault("publishClientSend")) {
      result.addRule(ALL, true, "publish", "#");
    }
    if (isAllowedByDefault("subscribe")) {
      if (isAllowedByDefault("publishClientReceive")) {
        result.addRule(ALL, true, "subscribe", "#");
      } else {
        result.omit(
            "defaultACLAccess: subscribe: a rule that allows subscribing would allow receiving,"
                + " which publishClientReceive denies");
      }
    }
    if (!isAllowedByDefault("unsubscribe")) {
      result.omit("defaultACLAccess: unsubscribe: clients may always unsubscribe");
    }
    String anonymous = text(file, "anonymousGroup");
    if (!anonymous.isEmpty()) {
      result.omit(
          "anonymousGroup '%s': there are no rules for clients without a user name only"
              .formatted(anonymous));
    }
  }
}
