package io.fjordmq.broker.userdb;

import static io.fjordmq.broker.records.TestRecords.get;
import static io.fjordmq.broker.userdb.TestUsers.ANN;
import static io.fjordmq.broker.userdb.TestUsers.draft;
import static io.fjordmq.broker.userdb.TestUsers.password;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.broker.providers.ProviderEntry;
import io.fjordmq.broker.providers.ProviderEntry.Chain;
import io.fjordmq.broker.security.AccessDecision;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.security.ConnectAdmission;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.broker.security.ConnectAdmission.Refusal;
import io.fjordmq.broker.security.ConnectAdmission.Refused;
import io.fjordmq.broker.security.DatabaseRules;
import io.fjordmq.broker.security.DatabaseUser;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.security.SecurityObserver;
import io.fjordmq.broker.security.SecuritySettings;
import io.fjordmq.broker.security.SecurityStartException;
import io.fjordmq.broker.security.UserSource;
import io.fjordmq.testing.Await;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Logins and rights of the users of the database. */
class UserLoginTest {
  private final TestUsers test = new TestUsers();
  private final TestUsers.Node node = test.open();
  private final AtomicInteger rulesRead = new AtomicInteger();
  private final Security security = open();

  /** Counts how often clients read their rules. */
  private final class CountingUsers implements UserSource {
    private final UserDirectory directory;

    CountingUsers(UserDirectory directory) {
      this.directory = directory;
    }

    @Override
    public @Nullable DatabaseUser find(String userName) {
      return directory.find(userName);
    }

    @Override
    public DatabaseRules rulesOf(ClientContext client) {
      rulesRead.incrementAndGet();
      return directory.rulesOf(client);
    }

    @Override
    public Object version() {
      return directory.version();
    }

    @Override
    public boolean isUpgradeDue(DatabaseUser user) {
      return directory.isUpgradeDue(user);
    }

    @Override
    public void onPasswordVerified(DatabaseUser user, byte[] password) {
      directory.onPasswordVerified(user, password);
    }

    @Override
    public byte[] decoySecret() {
      return directory.decoySecret();
    }
  }

  private Security open() {
    SecuritySettings settings =
        SecuritySettings.DEFAULTS.withProviders(
            new TreeMap<>(Map.of(0, database(Chain.AUTHENTICATION))),
            new TreeMap<>(Map.of(0, database(Chain.AUTHORIZATION))));
    try {
      return Security.open(
          settings, List.of(), new CountingUsers(node.directory()), SecurityObserver.NONE);
    } catch (SecurityStartException e) {
      throw new AssertionError(e);
    }
  }

  private static ProviderEntry database(Chain chain) {
    return new ProviderEntry(chain, 0, "database", Map.of("type", "database"));
  }

  @AfterEach
  void close() throws InterruptedException {
    security.close();
    test.close();
  }

  private ConnectAdmission login(String name, @Nullable String password) {
    byte[] bytes = password == null ? null : password.getBytes(StandardCharsets.UTF_8);
    return get(
        security.admit(new ConnectAttempt("tcpListener", null, false, null, 5, "c", name, bytes)));
  }

  private ClientAccess connect(String name, String password) {
    ConnectAdmission admission = login(name, password);
    assertThat(admission).isInstanceOf(Admitted.class);
    return security.accessOf((Admitted) admission);
  }

  private void expectRefusal(String name, @Nullable String password, String detail) {
    assertThat(login(name, password))
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> {
              assertThat(refused.refusal()).isEqualTo(Refusal.BAD_USER_NAME_OR_PASSWORD);
              assertThat(refused.detail()).isEqualTo(detail);
            });
  }

  private static @Nullable AccessDecision publish(ClientAccess access, String topic) {
    return access.mayPublish(new Topic(topic), Qos.AT_LEAST_ONCE, false, 0);
  }

  private static boolean mayPublish(ClientAccess access, String topic) {
    AccessDecision decision = publish(access, topic);
    return decision != null && decision.allowed();
  }

  private void put(RuleOwner owner, boolean allow, String topic) {
    TopicRule rule = new TopicRule(allow, Access.READ_WRITE, topic, Set.of(), null);
    get(node.rules().put(new RuleSet(owner, List.of(rule)), null));
  }

  @Test
  void shouldAdmitUsersWithTheirPassword() {
    get(node.users().add(ANN, draft("ann", "secret", "t", List.of())));
    ClientAccess access = connect("ann", "secret");
    assertThat(access.client().userName()).isEqualTo("ann");
    assertThat(access.client().tenant()).isEqualTo("t");
    expectRefusal("ann", "wrong", "wrong password");
    expectRefusal("ann", null, "wrong password");
    expectRefusal("bob", "secret", "unknown user");
    connect("ann", "secret"); // by the login cache
  }

  @Test
  void shouldRefuseUsersThatAreDisabledOrHaveNoPassword() {
    get(node.users().add(ANN, draft("ann", "secret")));
    get(node.users().add(ANN, draft("none", null)));
    connect("ann", "secret");
    get(node.users().update(ANN, "ann", new ClientUser.Update(null, false, null, null, null)));
    expectRefusal("ann", "secret", "the user is disabled");
    expectRefusal("ann", "wrong", "wrong password");
    expectRefusal("none", "", "the user has no password");
  }

  @Test
  void shouldAcceptOnlyTheNewPasswordAfterAChange() {
    get(node.users().add(ANN, draft("ann", "old")));
    connect("ann", "old");
    get(node.users().update(ANN, "ann", password("new")));
    expectRefusal("ann", "old", "wrong password");
    connect("ann", "new");
  }

  @Test
  void shouldTellWhichIdentitiesAreNoLongerValid() {
    get(node.users().add(ANN, draft("ann", "secret")));
    ClientAccess access = connect("ann", "secret");
    assertThat(access.identityFault()).isNull();
    get(
        node.users()
            .update(ANN, "ann", new ClientUser.Update(null, null, null, List.of("g"), null)));
    assertThat(access.identityFault()).as("groups take effect without a new login").isNull();
    get(node.users().update(ANN, "ann", new ClientUser.Update(null, false, null, null, null)));
    assertThat(access.identityFault()).isEqualTo("the user was disabled");
    get(node.users().update(ANN, "ann", new ClientUser.Update(null, true, true, null, null)));
    assertThat(access.identityFault())
        .isEqualTo("the password or the properties of the user changed");
    get(node.users().remove(ANN, "ann"));
    assertThat(access.identityFault()).isEqualTo("the user was deleted");
    get(node.users().add(ANN, draft("ann", "secret")));
    assertThat(access.identityFault()).as("another user of the same name").isNotNull();
  }

  @Test
  void shouldApplyChangedRulesToConnectedClients() {
    get(node.users().add(ANN, draft("ann", "secret", null, List.of("g"))));
    ClientAccess access = connect("ann", "secret");
    assertThat(mayPublish(access, "c/ann")).as("no rule").isFalse();
    put(RuleOwner.all(""), true, "${clientid}/${username}");
    assertThat(mayPublish(access, "c/ann")).isTrue();
    assertThat(access.mayReceive(new Topic("c/ann"))).isTrue();
    put(new RuleOwner(RuleOwner.Kind.GROUP, "", "g"), false, "c/#");
    assertThat(mayPublish(access, "c/ann")).isFalse();
    assertThat(access.mayReceive(new Topic("c/ann"))).isFalse();
    AccessDecision denial = Objects.requireNonNull(publish(access, "c/ann"), "the denial");
    assertThat(denial.decidedBy()).isEqualTo("authorization database");
    assertThat(denial.rule()).isEqualTo("rule 1 of group g: deny all c/#");
    get(node.users().update(ANN, "ann", new ClientUser.Update(null, null, null, List.of(), null)));
    assertThat(mayPublish(access, "c/ann")).isTrue();
  }

  @Test
  void shouldReadRulesAgainOnlyIfTheyConcernTheClient() {
    RuleOwner group = new RuleOwner(RuleOwner.Kind.GROUP, "", "g");
    get(node.users().add(ANN, draft("ann", "secret", null, List.of("g"))));
    put(group, true, "a/#");
    ClientAccess access = connect("ann", "secret");
    assertThat(mayPublish(access, "a/b")).isTrue();
    int before = rulesRead.get();
    put(new RuleOwner(RuleOwner.Kind.USER, "", "bob"), true, "a/#");
    get(node.users().add(ANN, draft("bob", "secret", null, List.of("g"))));
    assertThat(mayPublish(access, "a/b")).isTrue();
    assertThat(rulesRead).as("changes of others").hasValue(before);
    put(group, false, "a/#");
    assertThat(mayPublish(access, "a/b")).isFalse();
    assertThat(rulesRead).hasValue(before + 1);
  }

  @Test
  void shouldUpgradeAnImportedHashAfterALogin() {
    String sha256 = "$sha256$prefix$c2FsdA==$vt6QOG1FDOqLd7gi+IhwZeTlq/Eywvncz8x/vUy6XjU=";
    get(node.users().importAll(ANN, List.of(new ClientUsers.Imported(draft("ann", null), sha256))));
    expectRefusal("ann", "wrong", "wrong password");
    assertThat(hashOf("ann")).isEqualTo("sha256");
    ClientAccess access = connect("ann", "secret");
    Await.until("the hash is upgraded", 60, () -> "argon2id".equals(hashOf("ann")));
    assertThat(access.identityFault()).isNull();
    connect("ann", "secret");
    expectRefusal("ann", "wrong", "wrong password");
  }

  private @Nullable String hashOf(String name) {
    ClientUser.Stored stored = node.users().find(ANN, name);
    return stored == null ? null : stored.passwordHash();
  }

  @Test
  void shouldNotWidenRulesByHostileNames() {
    put(RuleOwner.all(""), true, "${username}/#");
    for (String name : List.of("+", "#", "a/+", "$SYS")) {
      get(node.users().add(ANN, draft(name, "secret")));
      ClientAccess access = connect(name, "secret");
      assertThat(mayPublish(access, "other/a")).as(name).isFalse();
      assertThat(mayPublish(access, "a/b/c")).as(name).isFalse();
      assertThat(access.mayReceive(new Topic("$SYS/broker"))).as(name).isFalse();
    }
  }

  @Test
  void shouldLetSuperusersDoEverything() {
    get(
        node.users()
            .add(ANN, new ClientUser.Draft("root", "x", null, true, true, List.of(), Map.of())));
    put(RuleOwner.all(""), false, "#");
    assertThat(mayPublish(connect("root", "x"), "a")).isTrue();
  }
}
