package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiFailure;
import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.imports.ImportedUsers;
import io.fjordmq.cli.imports.ImportedUsers.Kind;
import io.fjordmq.cli.imports.ImportedUsers.RulesOf;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends imported users and rules to the API. Leaves existing users and rules unchanged and lists
 * those that the node refuses; only a failure that affects every request ends the import.
 */
final class UserImport {
  private static final int BATCH = 500;

  private final CommandContext context;
  private final @Nullable String tenant;
  private final List<String> existing = new ArrayList<>();
  private final List<String> refused = new ArrayList<>();
  private int createdUsers;
  private int createdOwners;

  UserImport(CommandContext context, @Nullable String tenant) {
    this.context = context;
    this.tenant = tenant;
  }

  /** Sends everything; returns a summary. */
  ObjectNode run(ImportedUsers imported) {
    ArrayNode batch = Json.object().putArray("users");
    for (ObjectNode user : imported.users()) {
      if (tenant != null) {
        user.put("tenant", tenant);
      }
      if (user.has("password")) {
        addWithPassword(user);
        continue;
      }
      batch.add(user);
      if (batch.size() == BATCH) {
        send(batch);
        batch = Json.object().putArray("users");
      }
    }
    if (!batch.isEmpty()) {
      send(batch);
    }
    for (RulesOf owner : imported.owners()) {
      addRules(owner, imported.rulesOf(owner));
    }
    ObjectNode summary =
        Json.object().put("users_created", createdUsers).put("rules_created", createdOwners);
    ArrayNode kept = summary.putArray("existing");
    existing.forEach(kept::add);
    ArrayNode omitted = summary.putArray("not_carried_over");
    imported.omissions().forEach(omitted::add);
    refused.forEach(omitted::add);
    return summary;
  }

  private void send(ArrayNode users) {
    try {
      importUsers(users);
    } catch (ApiFailure failure) {
      if (failure.kind() != ApiFailure.Kind.INVALID) {
        throw failure;
      }
      for (JsonNode user : users) { // the others of a refused batch may be valid
        String name = "user '" + user.path("user_id").asString("") + "'";
        create(name, () -> importUsers(Json.object().putArray("users").add(user)));
      }
    }
  }

  private void importUsers(ArrayNode users) {
    JsonNode reply =
        context
            .api()
            .post(ApiPath.of("authentication", MqttUsersCommand.DATABASE, "import_users"), users)
            .json();
    createdUsers += reply.path("created").asInt(0);
    reply.path("existing").forEach(name -> existing.add("user '" + name.asString("") + "'"));
  }

  /**
   * Sends a request that creates something.
   *
   * @param what what it creates, for the summary
   */
  private void create(String what, Runnable request) {
    try {
      request.run();
    } catch (ApiFailure failure) {
      switch (failure.kind()) {
        case EXISTS -> existing.add(what);
        case INVALID -> refused.add(what + ": " + failure.getMessage());
        default -> throw failure;
      }
    }
  }

  private void addWithPassword(ObjectNode user) {
    create(
        "user '" + user.path("user_id").asString("") + "'",
        () -> {
          context
              .api()
              .post(ApiPath.of("authentication", MqttUsersCommand.DATABASE, "users"), user);
          createdUsers++;
        });
  }

  private void addRules(RulesOf owner, ArrayNode rules) {
    Kind kind = owner.kind();
    ApiPath path =
        ApiPath.of(
                "authorization",
                "sources",
                "built_in_database",
                "rules",
                kind.name().toLowerCase(Locale.ROOT))
            .with("tenant", tenant);
    if (kind == Kind.ALL) {
      addRulesOfAll(path, rules);
      return;
    }
    ObjectNode body = Json.object().put(kind.field(), owner.name());
    body.set("rules", rules);
    create(
        "rules of " + kind.field() + " '" + owner.name() + "'",
        () -> {
          context.api().post(path, Json.object().putArray("owners").add(body));
          createdOwners++;
        });
  }

  private void addRulesOfAll(ApiPath path, ArrayNode rules) {
    if (!context.api().get(path).json().path("rules").isEmpty()) {
      existing.add("rules of all clients");
      return;
    }
    ObjectNode body = Json.object();
    body.set("rules", rules);
    create(
        "rules of all clients",
        () -> {
          context.api().post(path, body);
          createdOwners++;
        });
  }
}
