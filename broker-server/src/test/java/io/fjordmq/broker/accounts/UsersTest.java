package io.fjordmq.broker.accounts;

import static io.fjordmq.broker.accounts.TestAccounts.ADDRESS;
import static io.fjordmq.broker.accounts.TestAccounts.LOCAL;
import static io.fjordmq.broker.accounts.TestAccounts.administrator;
import static io.fjordmq.broker.records.TestRecords.fails;
import static io.fjordmq.broker.records.TestRecords.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.broker.security.PasswordHash;
import io.fjordmq.cluster.metadata.Change;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UsersTest {
  private static final String PASSWORD = "correct horse";

  private final TestAccounts test = new TestAccounts();
  private final Accounts here = test.open();
  private final Accounts there = test.open();

  @AfterEach
  void close() {
    test.close();
  }

  private String token(String name, String password) {
    return get(here.logins().login(name, password, ADDRESS)).token();
  }

  private void refuses(String token) {
    for (Accounts node : List.of(here, there)) {
      assertThatThrownBy(() -> node.logins().verify(token))
          .isInstanceOfSatisfying(
              CredentialsException.class,
              e -> assertThat(e.kind()).isEqualTo(CredentialsException.Kind.TOKEN_INVALID));
    }
  }

  @Test
  void shouldAddListChangeAndRemoveUsersOnAllNodes() {
    User ann = get(here.users().add(LOCAL, administrator("ann", PASSWORD)));
    assertThat(ann.createdAt()).isEqualTo(test.records.now());
    get(there.users().add(LOCAL, new User.Draft("bob@x", PASSWORD, Role.VIEWER, null, "b")));
    assertThat(here.users().list(LOCAL)).extracting(User::name).containsExactly("ann", "bob@x");
    assertThat(there.users().list(LOCAL)).isEqualTo(here.users().list(LOCAL));
    User changed = get(there.users().update(LOCAL, "bob@x", new User.Update(Role.OPERATOR, null)));
    assertThat(changed).isEqualTo(here.users().find(LOCAL, "bob@x"));
    assertThat(changed.role()).isEqualTo(Role.OPERATOR);
    assertThat(changed.description()).isEqualTo("b");
    get(here.users().remove(LOCAL, "ann"));
    assertThat(there.users().find(LOCAL, "ann")).isNull();
    assertThat(there.users().list(LOCAL)).extracting(User::name).containsExactly("bob@x");
  }

  @Test
  void shouldRefuseUsersThatExistOrDoNot() {
    get(here.users().add(LOCAL, administrator("ann", PASSWORD)));
    assertThat(fails(there.users().add(LOCAL, administrator("ann", "other password")), Kind.EXISTS))
        .isEqualTo("a user named 'ann' already exists");
    assertThat(fails(here.users().remove(LOCAL, "bob"), Kind.NOT_FOUND))
        .isEqualTo("user 'bob' does not exist");
    fails(here.users().update(LOCAL, "bob", new User.Update(null, "x")), Kind.NOT_FOUND);
    fails(here.users().setPassword(LOCAL, "bob", PASSWORD), Kind.NOT_FOUND);
    fails(here.users().endTokens(LOCAL, "bob"), Kind.NOT_FOUND);
    String hostile = "\n../" + "x".repeat(10_000);
    assertThat(fails(here.users().remove(LOCAL, hostile), Kind.NOT_FOUND))
        .isEqualTo("there is no such user");
    assertThat(here.users().find(LOCAL, hostile)).isNull();
  }

  @Test
  void shouldRefuseInvalidValues() {
    for (String name : List.of("", ".", "a b", "a:b", "a/b", "ä", "a\n", "a".repeat(65), "-a")) {
      assertThat(fails(here.users().add(LOCAL, administrator(name, PASSWORD)), Kind.INVALID))
          .startsWith("username must be");
    }
    for (String password : List.of("", "7 chars", "x".repeat(257))) {
      assertThat(fails(here.users().add(LOCAL, administrator("ann", password)), Kind.INVALID))
          .startsWith("password must have 8 to 256 characters");
    }
    for (String description : List.of("a\nb", "x".repeat(257))) {
      User.Draft draft = new User.Draft("ann", PASSWORD, Role.VIEWER, null, description);
      assertThat(fails(here.users().add(LOCAL, draft), Kind.INVALID)).startsWith("description");
    }
    for (String tenant : List.of("", "a\u0000")) {
      User.Draft draft = new User.Draft("ann", PASSWORD, Role.VIEWER, tenant, "");
      assertThat(fails(here.users().add(LOCAL, draft), Kind.INVALID)).startsWith("tenant");
    }
    get(here.users().add(LOCAL, administrator("ann", "😀".repeat(256))));
    assertThat(here.users().list(LOCAL)).hasSize(1);
  }

  @Test
  void shouldStoreNoPassword() {
    get(here.users().add(LOCAL, administrator("ann", PASSWORD)));
    byte[] value = test.records.value("user/616e6e");
    assertThat(new String(value, StandardCharsets.ISO_8859_1))
        .contains("$argon2id$v=19$m=19456,t=2,p=1$")
        .doesNotContain(PASSWORD);
    assertThat(administrator("ann", PASSWORD).toString()).doesNotContain(PASSWORD);
    assertThat(StoredUser.decode(value).toString()).doesNotContain("argon2id");
  }

  @Test
  void shouldInvalidateTokensWhenTheUserChanges() {
    get(here.users().add(LOCAL, administrator("ann", PASSWORD)));
    String first = token("ann", PASSWORD);
    assertThat(there.logins().verify(first).name()).isEqualTo("ann");
    get(there.users().update(LOCAL, "ann", new User.Update(null, "still valid")));
    get(there.users().update(LOCAL, "ann", new User.Update(Role.ADMINISTRATOR, null)));
    assertThat(here.logins().verify(first).role()).isEqualTo(Role.ADMINISTRATOR);
    get(there.users().update(LOCAL, "ann", new User.Update(Role.VIEWER, null)));
    refuses(first);
    String second = token("ann", PASSWORD);
    assertThat(there.logins().verify(second).role()).isEqualTo(Role.VIEWER);
    get(there.users().setPassword(LOCAL, "ann", "another password"));
    refuses(second);
    fails(
        here.logins().login("ann", PASSWORD, ADDRESS), CredentialsException.Kind.WRONG_CREDENTIALS);
    String third = token("ann", "another password");
    get(here.users().endTokens(LOCAL, "ann"));
    refuses(third);
    String fourth = token("ann", "another password");
    get(here.users().remove(LOCAL, "ann"));
    refuses(fourth);
    get(here.users().add(LOCAL, administrator("ann", "another password")));
    refuses(fourth);
  }

  @Test
  void shouldChangeAPasswordOnlyIfTheOldOneIsRight() {
    get(here.users().add(LOCAL, administrator("ann", PASSWORD)));
    fails(
        here.users().changePassword(LOCAL, "ann", "wrong one", "another password", ADDRESS),
        CredentialsException.Kind.WRONG_CREDENTIALS);
    fails(here.users().changePassword(LOCAL, "ann", PASSWORD, "short", ADDRESS), Kind.INVALID);
    fails(
        here.users().changePassword(LOCAL, "bob", PASSWORD, "another password", ADDRESS),
        Kind.NOT_FOUND);
    get(here.users().changePassword(LOCAL, "ann", PASSWORD, "another password", ADDRESS));
    token("ann", "another password");
  }

  @Test
  void shouldConfineCallersToTheirTenant() {
    Caller bound = new Caller("t-admin", Caller.Kind.USER, Role.ADMINISTRATOR, "t");
    get(here.users().add(LOCAL, administrator("root", PASSWORD)));
    get(here.users().add(LOCAL, new User.Draft("u", PASSWORD, Role.ADMINISTRATOR, "u", "")));
    User own = get(here.users().add(bound, administrator("own", PASSWORD)));
    assertThat(own.tenant()).isEqualTo("t");
    assertThat(
            fails(
                here.users().add(bound, new User.Draft("x", PASSWORD, Role.VIEWER, "u", "")),
                Kind.INVALID))
        .isEqualTo("tenant must be 't', the tenant of the caller");
    assertThat(here.users().list(bound)).containsExactly(own);
    for (String other : List.of("root", "u")) {
      assertThat(here.users().find(bound, other)).isNull();
      fails(here.users().remove(bound, other), Kind.NOT_FOUND);
      fails(here.users().endTokens(bound, other), Kind.NOT_FOUND);
      fails(here.users().setPassword(bound, other, PASSWORD), Kind.NOT_FOUND);
      fails(here.users().update(bound, other, new User.Update(null, "x")), Kind.NOT_FOUND);
      fails(
          here.users().changePassword(bound, other, PASSWORD, "another one", ADDRESS),
          Kind.NOT_FOUND);
    }
    Caller caller = here.logins().verify(token("own", PASSWORD));
    assertThat(caller).isEqualTo(new Caller("own", Caller.Kind.USER, Role.ADMINISTRATOR, "t"));
    get(here.users().remove(bound, "own"));
  }

  @Test
  void shouldLimitTheNumberOfUsers() {
    PasswordHash hash = PasswordHash.decoy(new SecureRandom());
    List<Change> batch = new ArrayList<>();
    for (int i = 0; i < AccountRules.MAX_ACCOUNTS; i++) {
      User user = new User("user" + i, Role.VIEWER, null, "", test.records.now());
      batch.add(Change.put(StoredUser.key(user.name()), new StoredUser(user, hash, i).encode()));
    }
    get(test.records.metadata.write(batch));
    assertThat(fails(here.users().add(LOCAL, administrator("ann", PASSWORD)), Kind.FULL))
        .isEqualTo("the cluster has 1000 users, which is the maximum; remove some first");
  }

  @Test
  void shouldIgnoreUsersThatItCannotRead() {
    get(here.users().add(LOCAL, administrator("ann", PASSWORD)));
    String token = token("ann", PASSWORD);
    get(test.records.metadata.write(List.of(Change.put(StoredUser.key("ann"), new byte[] {2}))));
    refuses(token);
    fails(
        here.logins().login("ann", PASSWORD, ADDRESS), CredentialsException.Kind.WRONG_CREDENTIALS);
    assertThat(here.users().list(LOCAL)).isEmpty();
    assertThat(fails(here.users().remove(LOCAL, "ann"), Kind.UNAVAILABLE))
        .contains("upgrade this node");
  }
}
