package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.userdb.Page;
import io.fjordmq.broker.userdb.RuleOwner;
import io.fjordmq.broker.userdb.RuleOwner.Kind;
import io.fjordmq.broker.userdb.RuleSet;
import io.fjordmq.broker.userdb.RuleSets;
import io.fjordmq.broker.userdb.VersionedRules;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The rules of users, clients, groups and all clients in the database of the cluster. */
final class AccessRulesResource implements Resource {
  static final String VERSION =
      "Version of the rules, 0 if there are none. A request with a version other than that of"
          + " the stored rules fails. Ignored when rules are created";

  private static final String TAG = "Rules";
  private static final String RULES = "/authorization/sources/built_in_database/rules";
  private static final String EFFECT =
      "The changed rules apply to connected clients from their next action.";
  private static final String CHANGED = "Another request has changed the rules";
  private static final int MAX_CREATED = 100;

  private final RuleSets rules;

  /** The rules of an owner with a name, as a caller sends and gets them. */
  private interface Named {
    String name();

    List<AccessRuleJson> rules();

    @Nullable Long version();
  }

  record UserRulesJson(
      @Field(
              value = "User name, as authenticated by any provider",
              rule = TextRule.MQTT_NAME,
              example = "meter-8")
          String username,
      @Field(value = "The first rule that matches an action decides", maxLength = 100)
          List<AccessRuleJson> rules,
      @Field(VERSION) @Nullable Long version)
      implements Named {
    @Override
    public String name() {
      return username;
    }
  }

  record ClientRulesJson(
      @Field(value = "Client identifier", rule = TextRule.MQTT_NAME, example = "sensor-1")
          String clientid,
      @Field(value = "The first rule that matches an action decides", maxLength = 100)
          List<AccessRuleJson> rules,
      @Field(VERSION) @Nullable Long version)
      implements Named {
    @Override
    public String name() {
      return clientid;
    }
  }

  record GroupRulesJson(
      @Field(value = "Group", rule = TextRule.MQTT_NAME, example = "meters") String group,
      @Field(value = "The first rule that matches an action decides", maxLength = 100)
          List<AccessRuleJson> rules,
      @Field(VERSION) @Nullable Long version)
      implements Named {
    @Override
    public String name() {
      return group;
    }
  }

  record AllRulesJson(
      @Field(value = "The first rule that matches an action decides", maxLength = 100)
          List<AccessRuleJson> rules,
      @Field(VERSION) @Nullable Long version) {}

  /** A kind of owners with names. */
  private record Noun<J extends Record & Named>(
      Kind kind, String path, String variable, String title, Class<J> type, Make<J> make) {}

  private interface Make<J> {
    J make(String name, List<AccessRuleJson> rules, Long version);
  }

  private static final Noun<UserRulesJson> USERS =
      new Noun<>(Kind.USER, "users", "username", "User", UserRulesJson.class, UserRulesJson::new);
  private static final Noun<ClientRulesJson> CLIENTS =
      new Noun<>(
          Kind.CLIENT,
          "clients",
          "clientid",
          "Client",
          ClientRulesJson.class,
          ClientRulesJson::new);
  private static final Noun<GroupRulesJson> GROUPS =
      new Noun<>(Kind.GROUP, "groups", "group", "Group", GroupRulesJson.class, GroupRulesJson::new);

  AccessRulesResource(RuleSets rules) {
    this.rules = rules;
  }

  @Override
  public List<Operation> operations() {
    List<Operation> operations = new ArrayList<>();
    for (Noun<?> noun : List.of(USERS, CLIENTS, GROUPS)) {
      addAll(noun, operations);
    }
    operations.add(showAll());
    operations.add(setAll());
    operations.add(deleteAll());
    return operations;
  }

  private <J extends Record & Named> void addAll(Noun<J> noun, List<Operation> operations) {
    operations.add(list(noun));
    operations.add(create(noun));
    operations.add(show(noun));
    operations.add(set(noun));
    operations.add(delete(noun));
  }

  private static Operation.Builder declare(Operation.Builder operation, Role role) {
    return operation.tag(TAG).tenants().role(role).query(TopicTenant.parameter());
  }

  private static String noun(Noun<?> noun) {
    return noun.kind.noun();
  }

  private <J extends Record & Named> Operation list(Noun<J> noun) {
    return declare(Operation.get(RULES + "/" + noun.path), Role.VIEWER)
        .id("list" + noun.title + "Rules")
        .summary("List the %ss that have rules".formatted(noun(noun)))
        .query(
            Parameter.text(
                "like_" + noun.variable,
                "Only %ss whose name contains this text, ignoring case".formatted(noun(noun))))
        .paged()
        .okList(noun.type)
        .handler(
            request -> {
              Paging paging = request.paging();
              Page<VersionedRules> page =
                  rules.list(
                      noun.kind,
                      TopicTenant.of(request),
                      request.text("like_" + noun.variable).orElse(null),
                      paging.offset(),
                      paging.limit());
              return done(
                  paging.list(
                      page.elements().stream().map(set -> jsonOf(noun, set)).toList(),
                      page.total()));
            });
  }

  private <J extends Record & Named> Operation create(Noun<J> noun) {
    return declare(Operation.post(RULES + "/" + noun.path), Role.ADMINISTRATOR)
        .id("create" + noun.title + "Rules")
        .summary("Create the rules of %ss".formatted(noun(noun)))
        .description(EFFECT)
        .bodyList(noun.type, MAX_CREATED)
        .target(request -> ofTenant(request, names(request.bodyList(noun.type))))
        .noContent()
        .conflict("A %s already has rules, or the database is full".formatted(noun(noun)))
        .handler(
            request ->
                translate(
                    rules.create(
                        request.bodyList(noun.type).stream()
                            .map(body -> setOf(owner(noun, request, body.name()), body.rules()))
                            .toList())));
  }

  /** For the audit log. */
  private static String ofTenant(Request request, String names) {
    return AuditTarget.ofTenant(names, request.text("tenant").orElse(null));
  }

  private static String names(List<? extends Named> bodies) {
    return AuditTarget.names(bodies.stream().map(Named::name).toList());
  }

  private <J extends Record & Named> Operation show(Noun<J> noun) {
    return declare(Operation.get(one(noun)), Role.VIEWER)
        .id("show" + noun.title + "Rules")
        .summary("Show the rules of a %s".formatted(noun(noun)))
        .path(noun.variable, variable(noun))
        .ok(noun.type)
        .notFound("The %s has no rules".formatted(noun(noun)))
        .handler(request -> show(owner(noun, request), set -> jsonOf(noun, set)));
  }

  private <J extends Record & Named> Operation set(Noun<J> noun) {
    return declare(Operation.put(one(noun)), Role.ADMINISTRATOR)
        .id("set" + noun.title + "Rules")
        .summary("Set the rules of a %s".formatted(noun(noun)))
        .description("Creates the rules if there are none. " + EFFECT)
        .path(noun.variable, variable(noun))
        .body(noun.type)
        .target(request -> ofTenant(request, request.path(noun.variable)))
        .noContent()
        .conflict(CHANGED)
        .handler(
            request -> {
              J body = request.body(noun.type);
              String name = request.path(noun.variable);
              if (!name.equals(body.name())) {
                throw ApiException.badRequest(
                    "%s in the body must be '%s' as in the path"
                        .formatted(noun.variable, Excerpt.of(name)));
              }
              return translate(
                  rules.put(setOf(owner(noun, request), body.rules()), body.version()));
            });
  }

  private <J extends Record & Named> Operation delete(Noun<J> noun) {
    return declare(Operation.delete(one(noun)), Role.ADMINISTRATOR)
        .id("delete" + noun.title + "Rules")
        .summary("Delete the rules of a %s".formatted(noun(noun)))
        .description(EFFECT)
        .path(noun.variable, variable(noun))
        .target(request -> ofTenant(request, request.path(noun.variable)))
        .noContent()
        .notFound("The %s has no rules".formatted(noun(noun)))
        .conflict(CHANGED)
        .handler(request -> translate(rules.remove(owner(noun, request))));
  }

  private static String one(Noun<?> noun) {
    return RULES + "/" + noun.path + "/{" + noun.variable + "}";
  }

  private static String variable(Noun<?> noun) {
    return "Name of the %s; encode `/` as `%%2F`".formatted(noun(noun));
  }

  private Operation showAll() {
    return declare(Operation.get(RULES + "/all"), Role.VIEWER)
        .id("showRulesOfAll")
        .summary("Show the rules of all clients of a tenant")
        .ok(AllRulesJson.class)
        .handler(
            request -> {
              VersionedRules found = rules.find(RuleOwner.all(TopicTenant.of(request)));
              return done(
                  Response.ok(
                      found == null
                          ? new AllRulesJson(List.of(), VersionedRules.NONE)
                          : new AllRulesJson(jsonOf(found.set()), found.version())));
            });
  }

  private Operation setAll() {
    return declare(Operation.post(RULES + "/all"), Role.ADMINISTRATOR)
        .id("setRulesOfAll")
        .summary("Set the rules of all clients of a tenant")
        .description(
            "They are evaluated after those of the client, the user and its groups. " + EFFECT)
        .body(AllRulesJson.class)
        .target(request -> ofTenant(request, "all clients"))
        .noContent()
        .conflict(CHANGED)
        .handler(
            request -> {
              AllRulesJson body = request.body(AllRulesJson.class);
              RuleOwner owner = RuleOwner.all(TopicTenant.of(request));
              return translate(rules.put(setOf(owner, body.rules()), body.version()));
            });
  }

  private Operation deleteAll() {
    return declare(Operation.delete(RULES + "/all"), Role.ADMINISTRATOR)
        .id("deleteRulesOfAll")
        .summary("Delete the rules of all clients of a tenant")
        .description(EFFECT)
        .target(request -> ofTenant(request, "all clients"))
        .noContent()
        .notFound("There are no rules of all clients")
        .conflict(CHANGED)
        .handler(request -> translate(rules.remove(RuleOwner.all(TopicTenant.of(request)))));
  }

  private static RuleOwner owner(Noun<?> noun, Request request) {
    return owner(noun, request, request.path(noun.variable));
  }

  private static RuleOwner owner(Noun<?> noun, Request request, String name) {
    return new RuleOwner(noun.kind, TopicTenant.of(request), name);
  }

  private static RuleSet setOf(RuleOwner owner, List<AccessRuleJson> rules) {
    return new RuleSet(owner, rules.stream().map(AccessRuleJson::rule).toList());
  }

  private static <J extends Record & Named> J jsonOf(Noun<J> noun, VersionedRules found) {
    return noun.make.make(found.set().owner().name(), jsonOf(found.set()), found.version());
  }

  private static List<AccessRuleJson> jsonOf(RuleSet set) {
    return set.rules().stream().map(AccessRuleJson::of).toList();
  }

  private CompletableFuture<Response> show(RuleOwner owner, Function<VersionedRules, Record> json) {
    VersionedRules found = rules.find(owner);
    if (found == null) {
      throw ApiException.notFound(
          "%s '%s' has no rules".formatted(owner.kind().noun(), Excerpt.of(owner.name())));
    }
    return done(Response.ok(json.apply(found)));
  }

  private static CompletableFuture<Response> done(Response response) {
    return CompletableFuture.completedFuture(response);
  }

  private static CompletableFuture<Response> translate(CompletableFuture<Void> result) {
    return RecordFailures.translate(result).thenApply(done -> Response.noContent());
  }
}
