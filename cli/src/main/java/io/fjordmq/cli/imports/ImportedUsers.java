package io.fjordmq.cli.imports;

import io.fjordmq.cli.api.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Users and rules in the notation of the API, and what could not be carried over. */
public final class ImportedUsers {
  /** The most rules that an owner can have. */
  private static final int MAX_RULES = 100;

  private final Map<String, ObjectNode> users = new LinkedHashMap<>();
  private final Map<RulesOf, List<ObjectNode>> rules = new LinkedHashMap<>();
  private final List<String> omissions = new ArrayList<>();

  /** How an owner of rules is selected, named as in the paths of the API. */
  public enum Kind {
    USERS("username"),
    GROUPS("group"),
    ALL("");

    private final String field;

    Kind(String field) {
      this.field = field;
    }

    /** The field with the name of the owner; empty for all clients. */
    public String field() {
      return field;
    }
  }

  /** The owner of rules; the name of all clients is empty. */
  public record RulesOf(Kind kind, String name) {}

  /** Adds a user; reports it if there is one with the same name. */
  void addUser(String name, ObjectNode user) {
    if (users.putIfAbsent(name, user.put("user_id", name)) != null) {
      omit("user '" + name + "': it occurs more than once; the first one is used");
    }
  }

  /** Adds an owner without rules. */
  void addOwner(RulesOf owner) {
    rules.computeIfAbsent(owner, first -> new ArrayList<>());
  }

  /** Adds a rule after the other rules of the owner. */
  void addRule(RulesOf owner, boolean allow, String action, String topic) {
    addOwner(owner);
    List<ObjectNode> known = rules.getOrDefault(owner, List.of());
    if (known.size() == MAX_RULES) {
      omit(
          "%s '%s': the rule about '%s', because at most %d rules are possible"
              .formatted(owner.kind.field, owner.name, topic, MAX_RULES));
      return;
    }
    known.add(
        Json.object()
            .put("permission", allow ? "allow" : "deny")
            .put("action", action)
            .put("topic", topic));
  }

  /** Reports something that cannot be carried over. */
  void omit(String what) {
    omissions.add(what);
  }

  /** The users, with {@code password_hash} or {@code password}. */
  public List<ObjectNode> users() {
    return List.copyOf(users.values());
  }

  /** The owners that have rules. */
  public List<RulesOf> owners() {
    return List.copyOf(rules.keySet());
  }

  /** The rules of an owner. */
  public ArrayNode rulesOf(RulesOf owner) {
    ArrayNode list = Json.object().putArray("rules");
    rules.getOrDefault(owner, List.of()).forEach(list::add);
    return list;
  }

  /** What could not be carried over, and why. */
  public List<String> omissions() {
    return List.copyOf(omissions);
  }

  /** Everything in one object, to look at before it is imported. */
  public ObjectNode toJson() {
    ObjectNode all = Json.object();
    ArrayNode listed = all.putArray("users");
    users.values().forEach(listed::add);
    ObjectNode byKind = all.putObject("rules");
    for (Kind kind : Kind.values()) {
      ArrayNode owners = byKind.putArray(kind.name().toLowerCase(Locale.ROOT));
      for (RulesOf owner : rules.keySet()) {
        if (owner.kind == kind) {
          if (kind == Kind.ALL) {
            rulesOf(owner).forEach(owners::add);
          } else {
            owners.addObject().put(kind.field, owner.name).set("rules", rulesOf(owner));
          }
        }
      }
    }
    ArrayNode omitted = all.putArray("not_carried_over");
    omissions.forEach(omitted::add);
    return all;
  }
}
