package io.fjordmq.broker.userdb;

import static io.fjordmq.broker.records.TestRecords.fails;
import static io.fjordmq.broker.records.TestRecords.get;
import static io.fjordmq.broker.userdb.TestUsers.ANN;
import static io.fjordmq.broker.userdb.TestUsers.draft;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.RuleTemplate;
import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.broker.security.DatabaseRules;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RuleSetsTest {
  private final TestUsers test = new TestUsers();
  private final TestUsers.Node here = test.open();
  private final TestUsers.Node there = test.open();

  @AfterEach
  void close() {
    test.close();
  }

  private static RuleOwner user(String name) {
    return new RuleOwner(RuleOwner.Kind.USER, "", name);
  }

  private static RuleOwner group(String name) {
    return new RuleOwner(RuleOwner.Kind.GROUP, "", name);
  }

  private static TopicRule allow(String topic) {
    return new TopicRule(true, Access.READ_WRITE, topic, Set.of(), null);
  }

  private void put(RuleOwner owner, String... topics) {
    List<TopicRule> rules = new ArrayList<>();
    for (String topic : topics) {
      rules.add(allow(topic));
    }
    get(here.rules().put(new RuleSet(owner, rules), null));
  }

  private List<String> topicsOf(String clientId, @Nullable String userName, String tenant) {
    ClientContext context =
        ClientContext.withoutPassword(clientId, userName, null, null, "l", tenant, Map.of());
    return there.directory().rulesOf(context).templates().stream()
        .map(RuleTemplate::filter)
        .map(Object::toString)
        .toList();
  }

  @Test
  void shouldEvaluateClientUserGroupsAndAllInThisOrder() {
    put(RuleOwner.all(""), "all");
    put(group("g2"), "second");
    put(group("g1"), "first");
    put(user("u"), "user");
    put(new RuleOwner(RuleOwner.Kind.CLIENT, "", "c"), "client");
    get(here.users().add(ANN, draft("u", null, null, List.of("g1", "missing", "g2"))));
    assertThat(topicsOf("c", "u", "")).containsExactly("client", "user", "first", "second", "all");
    assertThat(topicsOf("x", null, "")).containsExactly("all");
    assertThat(topicsOf("c", "u", "other tenant")).isEmpty();
  }

  @Test
  void shouldUseChangedRules() {
    put(group("g"), "before");
    get(here.users().add(ANN, draft("u", null, null, List.of("g"))));
    assertThat(topicsOf("c", "u", "")).containsExactly("before");
    Object version = there.directory().version();
    put(group("g"), "after", "more");
    assertThat(there.directory().version()).isNotSameAs(version);
    assertThat(topicsOf("c", "u", "")).containsExactly("after", "more");
    get(here.rules().remove(group("g")));
    assertThat(topicsOf("c", "u", "")).isEmpty();
    fails(here.rules().remove(group("g")), Kind.NOT_FOUND);
  }

  @Test
  void shouldNotGiveGroupsOfAUserOfAnotherTenant() {
    get(
        here.rules()
            .put(
                new RuleSet(new RuleOwner(RuleOwner.Kind.GROUP, "t", "g"), List.of(allow("a"))),
                null));
    get(here.users().add(ANN, draft("u", null, null, List.of("g"))));
    assertThat(topicsOf("c", "u", "t")).isEmpty();
  }

  @Test
  void shouldLookUpHostileNamesExactly() {
    put(user("+"), "plus");
    put(user("a/#"), "hash");
    put(user("$SYS"), "system");
    assertThat(topicsOf("c", "+", "")).containsExactly("plus");
    assertThat(topicsOf("c", "a/#", "")).containsExactly("hash");
    assertThat(topicsOf("c", "$SYS", "")).containsExactly("system");
    for (String name :
        List.of("", "a", "A/#", "\ud800", "\0", "x".repeat(65_535), "é".repeat(90))) {
      assertThat(topicsOf(name, name, "")).isEmpty();
    }
  }

  @Test
  void shouldRefuseInvalidRules() {
    for (String topic :
        List.of(
            "",
            "a+",
            "#/a",
            "$share/g/a",
            "${nobody}",
            "${password}",
            "a/${topic}",
            "a\0",
            "é".repeat(257))) {
      assertThat(
              fails(
                  here.rules().put(new RuleSet(user("u"), List.of(allow(topic))), null),
                  Kind.INVALID))
          .startsWith("topic: ");
    }
    fails(
        here.rules().put(new RuleSet(user("u"), Collections.nCopies(101, allow("a"))), null),
        Kind.INVALID);
    fails(here.rules().put(new RuleSet(user(""), List.of()), null), Kind.INVALID);
    RuleOwner tooLong = new RuleOwner(RuleOwner.Kind.USER, "t".repeat(60), "u".repeat(61));
    fails(here.rules().put(new RuleSet(tooLong, List.of()), null), Kind.INVALID);
    get(
        here.rules()
            .put(
                new RuleSet(user("u"), Collections.nCopies(100, allow("%c/${username}/#"))), null));
  }

  @Test
  void shouldCreateRulesOnce() {
    RuleSet a = new RuleSet(user("a"), List.of());
    fails(here.rules().create(List.of(a, a)), Kind.EXISTS);
    get(here.rules().create(List.of(a, new RuleSet(user("b"), List.of(allow("x"))))));
    fails(there.rules().create(List.of(a)), Kind.EXISTS);
    assertThat(Objects.requireNonNull(there.rules().find(user("a"))).set()).isEqualTo(a);
    assertThat(there.rules().find(user("c"))).isNull();
  }

  @Test
  void shouldListTheRulesOfATenant() {
    put(user("b"), "x");
    put(user("a"), "x");
    put(group("a"), "x");
    get(
        here.rules()
            .put(new RuleSet(new RuleOwner(RuleOwner.Kind.USER, "t", "a"), List.of()), null));
    Page<VersionedRules> page = there.rules().list(RuleOwner.Kind.USER, "", null, 0, 1);
    assertThat(page.total()).isEqualTo(2);
    assertThat(page.elements())
        .extracting(found -> found.set().owner().name())
        .containsExactly("a");
    assertThat(there.rules().list(RuleOwner.Kind.USER, "t", null, 0, 9).total()).isEqualTo(1);
    assertThat(there.rules().list(RuleOwner.Kind.USER, "", "B", 0, 9).total()).isEqualTo(1);
  }

  @Test
  void shouldDenyEverythingIfRulesCannotBeRead() {
    RuleOwner owner = user("u");
    test.records().put(String.valueOf(owner.key()), new byte[] {2});
    ClientContext context = ClientContext.withoutPassword("c", "u", null, null, "l", "", Map.of());
    List<RuleTemplate> rules = there.directory().rulesOf(context).templates();
    assertThat(rules).hasSize(1);
    assertThat(rules.get(0).allow()).isFalse();
    assertThat(rules.get(0).filter()).hasToString("#");
  }

  @Test
  void shouldDenyEverythingIfTheUserCannotBeRead() {
    put(user("u"), "own");
    put(RuleOwner.all(""), "all");
    test.records().put(StoredClientUser.key("u"), new byte[] {2});
    assertThat(topicsOf("c", "u", "")).as("its groups may deny").containsExactly("own", "#", "all");
    ClientContext context = ClientContext.withoutPassword("c", "u", null, null, "l", "", Map.of());
    assertThat(there.directory().rulesOf(context).templates().get(1).allow()).isFalse();
  }

  @Test
  void shouldTellWhoseRulesHaveChanged() {
    get(here.users().add(ANN, draft("u", "x", null, List.of("g"))));
    ClientContext context = ClientContext.withoutPassword("c", "u", null, null, "l", "", Map.of());
    Object version = there.directory().version();
    DatabaseRules known = there.directory().rulesOf(context);
    put(user("other"), "x");
    put(new RuleOwner(RuleOwner.Kind.CLIENT, "", "other"), "x");
    put(new RuleOwner(RuleOwner.Kind.GROUP, "t", "g"), "x");
    get(here.users().add(ANN, draft("other", "x", null, List.of("g"))));
    assertThat(there.directory().version()).isNotSameAs(version);
    assertThat(known.isCurrent().getAsBoolean()).isTrue();
    for (RuleOwner owner :
        List.of(
            user("u"),
            group("g"),
            RuleOwner.all(""),
            new RuleOwner(RuleOwner.Kind.CLIENT, "", "c"))) {
      known = there.directory().rulesOf(context);
      put(owner, "x");
      assertThat(known.isCurrent().getAsBoolean()).as(owner.toString()).isFalse();
    }
    known = there.directory().rulesOf(context);
    get(here.users().update(ANN, "u", new ClientUser.Update(null, null, null, List.of(), null)));
    assertThat(known.isCurrent().getAsBoolean()).isFalse();
  }

  @Test
  void shouldNotLoseChangesOfOthers() {
    RuleSet one = new RuleSet(user("u"), List.of(allow("one")));
    RuleSet other = new RuleSet(user("u"), List.of(allow("other")));
    get(here.rules().put(one, VersionedRules.NONE));
    fails(there.rules().put(other, VersionedRules.NONE), Kind.CHANGED);
    long version = Objects.requireNonNull(there.rules().find(user("u"))).version();
    get(there.rules().put(other, version));
    assertThat(fails(here.rules().put(one, version), Kind.CHANGED)).contains("user u");
    assertThat(Objects.requireNonNull(here.rules().find(user("u"))).set()).isEqualTo(other);
    get(here.rules().put(one, null));
  }
}
