package io.fjordmq.broker.userdb;

import static io.fjordmq.broker.records.TestRecords.fails;
import static io.fjordmq.broker.records.TestRecords.get;
import static io.fjordmq.broker.userdb.TestUsers.ANN;
import static io.fjordmq.broker.userdb.TestUsers.all;
import static io.fjordmq.broker.userdb.TestUsers.caller;
import static io.fjordmq.broker.userdb.TestUsers.draft;
import static io.fjordmq.broker.userdb.TestUsers.nothing;
import static io.fjordmq.broker.userdb.TestUsers.password;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.broker.records.RecordType;
import io.fjordmq.broker.records.ReplicatedRecords;
import io.fjordmq.broker.security.DatabaseUser;
import io.fjordmq.broker.security.PasswordHash;
import io.fjordmq.broker.security.ScramMechanism;
import io.fjordmq.broker.security.ScramPolicy;
import io.fjordmq.broker.security.ScramVerifier;
import io.fjordmq.broker.security.UserCredentials;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClientUsersTest {
  private static final String MOSQUITTO_6 = "$6$c2FsdA==$" + "A".repeat(86) + "==";

  private final TestUsers test = new TestUsers();
  private final TestUsers.Node here = test.open();
  private final TestUsers.Node there = test.open();

  @AfterEach
  void close() {
    test.close();
  }

  private static DatabaseUser known(TestUsers.Node node, String name) {
    return Objects.requireNonNull(node.directory().find(name), name);
  }

  private List<String> names(ClientUser.Filter filter) {
    return there.users().list(ANN, filter, 0, 100).elements().stream()
        .map(stored -> stored.user().name())
        .toList();
  }

  @Test
  void shouldReplicateUsers() {
    ClientUser.Stored added = get(here.users().add(ANN, draft("sensor/1", "secret")));
    assertThat(added.user())
        .isEqualTo(
            new ClientUser("sensor/1", "", true, false, List.of(), Map.of(), test.records().now()));
    assertThat(added.passwordHash()).isEqualTo("argon2id");
    assertThat(added.scram()).isEmpty();
    assertThat(there.users().find(ANN, "sensor/1")).isEqualTo(added);
    PasswordHash hash = known(there, "sensor/1").credentials().password();
    assertThat(Objects.requireNonNull(hash).matches("secret".getBytes(StandardCharsets.UTF_8)))
        .isTrue();
    fails(there.users().add(ANN, draft("sensor/1", "other")), Kind.EXISTS);
    get(there.users().remove(ANN, "sensor/1"));
    assertThat(here.directory().find("sensor/1")).isNull();
    fails(here.users().remove(ANN, "sensor/1"), Kind.NOT_FOUND);
  }

  @Test
  void shouldStartWithoutUsers() {
    assertThat(here.users().list(ANN, all(), 0, 10)).isEqualTo(new Page<>(List.of(), 0));
    assertThat(new UserDirectory().find("a")).isNull();
  }

  @Test
  void shouldRefuseInvalidUsers() {
    for (String name : List.of("", "a\nb", "a\0", "n".repeat(121), "é".repeat(61), "\ud800")) {
      fails(here.users().add(ANN, draft(name, "secret")), Kind.INVALID);
      assertThat(here.directory().find(name)).isNull();
      assertThat(here.users().find(ANN, name)).isNull();
    }
    fails(here.users().add(ANN, draft("a", "")), Kind.INVALID);
    fails(here.users().add(ANN, draft("a", "x".repeat(1_025))), Kind.INVALID);
    fails(here.users().add(ANN, draft("a", "x", null, List.of("g", "g"))), Kind.INVALID);
    fails(
        here.users()
            .add(
                ANN,
                new ClientUser.Draft(
                    "a", "x", null, true, false, List.of(), Map.of("a", "x".repeat(257)))),
        Kind.INVALID);
    get(here.users().add(ANN, draft("n".repeat(120), "secret")));
  }

  @Test
  void shouldConfineCallersToTheirTenant() {
    get(here.users().add(ANN, draft("a", "x", "t1", List.of())));
    get(here.users().add(caller("t2"), draft("b", "x")));
    assertThat(there.users().find(caller("t1"), "b")).isNull();
    assertThat(there.users().list(caller("t1"), all(), 0, 10).elements())
        .extracting(stored -> stored.user().name())
        .containsExactly("a");
    assertThat(known(there, "b").tenant()).isEqualTo("t2");
    fails(here.users().add(caller("t2"), draft("c", "x", "t1", List.of())), Kind.INVALID);
    fails(here.users().remove(caller("t1"), "b"), Kind.NOT_FOUND);
    fails(here.users().update(caller("t1"), "b", password("y")), Kind.NOT_FOUND);
  }

  @Test
  void shouldListByNameInPages() {
    for (String name : List.of("c", "a", "B", "ab")) {
      get(
          here.users()
              .add(ANN, draft(name, null, null, name.equals("c") ? List.of("g") : List.of())));
    }
    assertThat(names(all())).containsExactly("B", "a", "ab", "c");
    Page<ClientUser.Stored> page = there.users().list(ANN, all(), 1, 2);
    assertThat(page.elements()).extracting(one -> one.user().name()).containsExactly("a", "ab");
    assertThat(page.total()).isEqualTo(4);
    assertThat(names(new ClientUser.Filter("b", null, null, null, null)))
        .containsExactly("B", "ab");
    assertThat(names(new ClientUser.Filter(null, null, "g", null, null))).containsExactly("c");
    assertThat(names(new ClientUser.Filter(null, "t", null, null, null))).isEmpty();
    assertThat(names(new ClientUser.Filter(null, null, null, true, null))).isEmpty();
    assertThat(names(new ClientUser.Filter(null, null, null, null, true))).hasSize(4);
  }

  @Test
  void shouldEndIdentitiesOnlyIfTheyChange() {
    get(here.users().add(ANN, draft("a", "x")));
    long epoch = known(there, "a").epoch();
    get(here.users().update(ANN, "a", nothing()));
    get(
        here.users()
            .update(ANN, "a", new ClientUser.Update(null, false, false, List.of("g"), Map.of())));
    assertThat(known(there, "a").epoch()).isEqualTo(epoch);
    assertThat(known(there, "a").enabled()).isFalse();
    get(here.users().update(ANN, "a", new ClientUser.Update(null, null, true, null, null)));
    long superuser = known(there, "a").epoch();
    assertThat(superuser).isNotEqualTo(epoch);
    get(here.users().update(ANN, "a", password("x")));
    assertThat(known(there, "a").epoch()).isNotEqualTo(superuser);
    assertThat(Objects.requireNonNull(there.users().find(ANN, "a")).user().groups())
        .containsExactly("g");
  }

  @Test
  void shouldTellWhenUsersChange() {
    List<Set<String>> changes = new ArrayList<>();
    there.database().onUsersChanged(changes::add);
    Object version = there.directory().version();
    get(here.users().add(ANN, draft("a", "x")));
    assertThat(there.directory().version()).as("it may have groups").isNotSameAs(version);
    get(here.users().update(ANN, "a", new ClientUser.Update(null, null, null, List.of("g"), null)));
    assertThat(changes).as("its clients stay connected").isEmpty();
    version = there.directory().version();
    get(here.users().update(ANN, "a", password("y")));
    get(here.users().update(ANN, "a", new ClientUser.Update(null, false, null, null, null)));
    assertThat(there.directory().version()).as("no other rules").isSameAs(version);
    get(here.users().update(ANN, "a", new ClientUser.Update(null, true, null, null, null)));
    get(here.users().remove(ANN, "a"));
    assertThat(changes).containsExactly(Set.of("a"), Set.of("a"), Set.of("a"));
  }

  @Test
  void shouldImportHashes() {
    get(here.users().add(ANN, draft("old", "x")));
    ClientUsers.ImportResult result =
        get(
            here.users()
                .importAll(
                    ANN,
                    List.of(
                        new ClientUsers.Imported(draft("a", null), MOSQUITTO_6),
                        new ClientUsers.Imported(draft("a", null), null),
                        new ClientUsers.Imported(draft("old", null), MOSQUITTO_6),
                        new ClientUsers.Imported(draft("b", null), null))));
    assertThat(result).isEqualTo(new ClientUsers.ImportResult(2, List.of("a", "old")));
    assertThat(Objects.requireNonNull(there.users().find(ANN, "a")).passwordHash())
        .isEqualTo("sha512");
    assertThat(Objects.requireNonNull(there.users().find(ANN, "b")).passwordHash()).isNull();
    String message =
        fails(
            here.users()
                .importAll(ANN, List.of(new ClientUsers.Imported(draft("c", null), "plain"))),
            Kind.INVALID);
    assertThat(message).startsWith("password_hash of user 'c': ").doesNotContain("plain");
  }

  @Test
  void shouldImportMoreUsersThanAWriteCanContain() {
    List<ClientUsers.Imported> many = new ArrayList<>();
    for (int i = 0; i < 1_200; i++) {
      many.add(new ClientUsers.Imported(draft("user-" + i, null), MOSQUITTO_6));
    }
    assertThat(get(here.users().importAll(ANN, many)).created()).isEqualTo(1_200);
    assertThat(there.users().list(ANN, all(), 1_000, 500).elements()).hasSize(200);
  }

  @Test
  void shouldUpgradeAHashWhenItsUserLogsIn() {
    TestUsers.Node scram = test.open(ScramPolicy.of(Set.of(ScramMechanism.SHA_256), 4_096));
    get(
        here.users()
            .importAll(ANN, List.of(new ClientUsers.Imported(draft("a", null), MOSQUITTO_6))));
    DatabaseUser before = known(scram, "a");
    List<Set<String>> changes = new ArrayList<>();
    there.database().onUsersChanged(changes::add);
    Object version = there.directory().version();
    scram.directory().onPasswordVerified(before, "secret".getBytes(StandardCharsets.UTF_8));
    DatabaseUser after = known(there, "a");
    UserCredentials upgraded = after.credentials();
    assertThat(Objects.requireNonNull(upgraded.password()).isCurrent()).isTrue();
    assertThat(upgraded.verifier(ScramMechanism.SHA_256)).isNotNull();
    assertThat(upgraded.verifier(ScramMechanism.SHA_512)).isNull();
    assertThat(after.epoch()).as("clients stay connected").isEqualTo(before.epoch());
    assertThat(changes).isEmpty();
    assertThat(there.directory().version()).isSameAs(version);
  }

  @Test
  void shouldUpgradeFewHashesAtATime() {
    List<ClientUsers.Imported> imported = new ArrayList<>();
    for (String name : List.of("a", "b")) {
      imported.add(new ClientUsers.Imported(draft(name, null), MOSQUITTO_6));
    }
    get(here.users().importAll(ANN, imported));
    AtomicLong now = new AtomicLong();
    CredentialUpgrades upgrades =
        new CredentialUpgrades(
            new ReplicatedRecords<>(
                test.records().client(),
                new RecordType<>(StoredClientUser.PREFIX, "this user", StoredClientUser::decode)),
            test.records().metadata::view,
            new CredentialHashing(ScramPolicy.NONE),
            now::get);
    byte[] password = "secret".getBytes(StandardCharsets.UTF_8);
    upgrades.onLogin(known(here, "a"), password);
    upgrades.onLogin(known(here, "b"), password);
    assertThat(hashOf("a")).isEqualTo("argon2id");
    assertThat(hashOf("b")).isEqualTo("sha512");
    now.addAndGet(CredentialUpgrades.INTERVAL_NANOS);
    upgrades.onLogin(known(here, "a"), password); // nothing to do
    upgrades.onLogin(known(here, "b"), password);
    assertThat(hashOf("b")).isEqualTo("argon2id");
  }

  private @Nullable String hashOf(String name) {
    return Objects.requireNonNull(there.users().find(ANN, name)).passwordHash();
  }

  @Test
  void shouldShareTheSecretForUnknownUsers() {
    byte[] own = here.directory().decoySecret(); // creates the record
    assertThat(there.directory().decoySecret()).hasSize(32).isEqualTo(own);
    assertThat(test.open().directory().decoySecret()).isEqualTo(own);
  }

  @Test
  void shouldIgnoreUsersOfANewerVersion() {
    test.records().put(StoredClientUser.key("new"), new byte[] {2});
    assertThat(here.directory().find("new")).isNull();
    assertThat(here.users().list(ANN, new ClientUser.Filter("n", "", null, null, null), 0, 9))
        .isEqualTo(new Page<>(List.of(), 0));
    fails(here.users().update(ANN, "new", nothing()), Kind.UNAVAILABLE);
  }

  @Test
  void shouldRefuseMoreThanTheDatabaseHolds() {
    ClientUser user =
        new ClientUser("x", "", true, false, List.of(), Map.of(), Instant.ofEpochMilli(1));
    byte[] value = new StoredClientUser(user, new UserCredentials(null, List.of()), 1).encode();
    for (int from = 0; from < UserDatabaseLimits.MAX_USERS; from += 1_000) {
      List<Change> batch = new ArrayList<>();
      for (int i = from; i < from + 1_000; i++) {
        batch.add(Change.put(StoredClientUser.key("user-" + i), value, Change.ABSENT));
      }
      get(test.records().metadata.write(batch));
    }
    assertThat(fails(here.users().add(ANN, draft("one", null)), Kind.FULL))
        .contains("100000 users");
    get(here.users().remove(ANN, "user-1"));
    get(here.users().add(ANN, draft("one", null)));
  }

  /** Leaves this many bytes free. */
  private void fill(int left) {
    long free = UserDatabaseLimits.MAX_TOTAL_BYTES;
    for (MetadataRecord record : test.records().metadata.view().withPrefix("mqtt-")) {
      free -= record.key().length() + record.value().length;
    }
    for (int i = 0; free > left; i++) {
      String key = String.valueOf(new RuleOwner(RuleOwner.Kind.GROUP, "", "g" + i).key());
      int bytes = (int) Math.min(64 << 10, free - left) - key.length();
      test.records().put(key, new byte[bytes]);
      free -= key.length() + bytes;
    }
  }

  @Test
  void shouldCountTheBytesOfChanges() {
    TestUsers.Node scram = test.open(ScramPolicy.of(Set.of(ScramMechanism.SHA_256), 4_096));
    Map<String, String> attributes = Map.of("a", "x".repeat(200));
    ClientUser.Update more = new ClientUser.Update(null, null, null, null, attributes);
    RuleOwner owner = RuleOwner.all("");
    TopicRule rule = new TopicRule(true, Access.READ, "t/".repeat(40), Set.of(), null);
    get(here.rules().put(new RuleSet(owner, List.of(rule, rule)), null));
    get(here.users().add(ANN, draft("ann", null)));
    get(
        here.users()
            .importAll(ANN, List.of(new ClientUsers.Imported(draft("old", null), MOSQUITTO_6))));
    fill(60);
    assertThat(fails(here.users().update(ANN, "ann", more), Kind.FULL)).contains("64 MiB");
    fails(here.users().add(ANN, draft("bob", "secret")), Kind.FULL);
    fails(here.rules().put(new RuleSet(owner, List.of(rule, rule, rule)), null), Kind.FULL);
    scram.directory().onPasswordVerified(known(scram, "old"), bytes("secret"));
    assertThat(hashOf("old")).as("the new hashes would be longer").isEqualTo("sha512");
    get(here.users().update(ANN, "ann", nothing()));
    get(here.rules().put(new RuleSet(owner, List.of(rule, rule)), null));
    get(here.rules().put(new RuleSet(owner, List.of()), null));
    get(here.users().update(ANN, "ann", new ClientUser.Update(null, false, null, null, null)));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void shouldNotUpgradeTheHashOfAnEmptyPassword() {
    TestUsers.Node scram = test.open(ScramPolicy.of(Set.of(ScramMechanism.SHA_256), 4_096));
    get(
        here.users()
            .importAll(ANN, List.of(new ClientUsers.Imported(draft("a", null), MOSQUITTO_6))));
    scram.directory().onPasswordVerified(known(scram, "a"), new byte[0]);
    assertThat(hashOf("a")).isEqualTo("sha512");
  }

  @Test
  void shouldKeepVerifiersOfOtherNodes() {
    TestUsers.Node one = test.open(ScramPolicy.of(Set.of(ScramMechanism.SHA_256), 4_096));
    TestUsers.Node other = test.open(ScramPolicy.of(Set.of(ScramMechanism.SHA_512), 4_096));
    get(one.users().add(ANN, draft("a", "secret")));
    assertThat(other.directory().isUpgradeDue(known(other, "a"))).isTrue();
    other.directory().onPasswordVerified(known(other, "a"), bytes("secret"));
    UserCredentials upgraded = known(there, "a").credentials();
    assertThat(upgraded.scram())
        .extracting(ScramVerifier::mechanism)
        .containsExactlyInAnyOrder(ScramMechanism.SHA_256, ScramMechanism.SHA_512);
    assertThat(one.directory().isUpgradeDue(known(one, "a"))).isFalse();
  }

  @Test
  void shouldCreateVerifiersWithTheIterationsOfTheirMechanism() {
    ScramPolicy policy =
        new ScramPolicy(Map.of(ScramMechanism.SHA_256, 5_000, ScramMechanism.SHA_512, 4_096));
    get(test.open(policy).users().add(ANN, draft("a", "secret")));
    assertThat(known(there, "a").credentials().scram())
        .extracting(ScramVerifier::iterations)
        .containsExactly(5_000, 4_096);
  }

  @Test
  void shouldChangeUsersThatThisNodeDoesNotKnowYet() {
    MetadataView before = test.records().metadata.view();
    get(there.users().add(ANN, draft("a", "x")));
    ClientUsers lagging = test.withView(here, () -> before);
    assertThat(lagging.find(ANN, "a")).isNull();
    get(lagging.update(ANN, "a", password("y")));
    fails(lagging.update(ANN, "b", password("y")), Kind.NOT_FOUND);
  }
}
