package io.fjordmq.broker.accounts;

import static io.fjordmq.broker.accounts.TestAccounts.ADDRESS;
import static io.fjordmq.broker.accounts.TestAccounts.LOCAL;
import static io.fjordmq.broker.accounts.TestAccounts.key;
import static io.fjordmq.broker.records.TestRecords.fails;
import static io.fjordmq.broker.records.TestRecords.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.cluster.metadata.Change;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ApiKeysTest {
  private final TestAccounts test = new TestAccounts();
  private final Accounts here = test.open();
  private final Accounts there = test.open();

  @AfterEach
  void close() {
    test.close();
  }

  private Caller authenticate(Accounts node, ApiKey.Created created) {
    return get(node.logins().authenticate(created.key().id(), created.secret(), ADDRESS));
  }

  private void refuses(ApiKey.Created created) {
    for (Accounts node : List.of(here, there)) {
      fails(
          node.logins().authenticate(created.key().id(), created.secret(), ADDRESS),
          CredentialsException.Kind.WRONG_CREDENTIALS);
    }
  }

  @Test
  void shouldAcceptAKeyOnAllNodesUntilItIsRemoved() {
    ApiKey.Created created = get(here.apiKeys().add(LOCAL, key("ci", Role.OPERATOR)));
    assertThat(created.key().id()).matches("[0-9a-f]{32}");
    assertThat(created.secret()).matches("[A-Za-z0-9_-]{43}");
    assertThat(created.toString()).doesNotContain(created.secret());
    Caller caller = new Caller("ci", Caller.Kind.API_KEY, Role.OPERATOR, null);
    assertThat(authenticate(here, created)).isEqualTo(caller);
    assertThat(authenticate(there, created)).isEqualTo(caller);
    fails(
        here.logins().authenticate(created.key().id(), "A" + created.secret(), ADDRESS),
        CredentialsException.Kind.WRONG_CREDENTIALS);
    assertThat(there.apiKeys().list(LOCAL)).containsExactly(created.key());
    get(there.apiKeys().remove(LOCAL, "ci"));
    refuses(created);
    assertThat(here.apiKeys().list(LOCAL)).isEmpty();
    assertThat(here.apiKeys().find(LOCAL, "ci")).isNull();
  }

  @Test
  void shouldNotStoreTheSecret() {
    ApiKey.Created created = get(here.apiKeys().add(LOCAL, key("ci", Role.OPERATOR)));
    byte[] value = test.records.value("api-key/6369");
    assertThat(new String(value, StandardCharsets.ISO_8859_1)).doesNotContain(created.secret());
  }

  @Test
  void shouldRefuseAKeyThatIsDisabledOrExpired() {
    Instant soon = test.records.now().plusSeconds(60);
    ApiKey.Created created =
        get(here.apiKeys().add(LOCAL, new ApiKey.Draft("ci", Role.VIEWER, null, "", false, soon)));
    refuses(created);
    ApiKey enabled =
        get(there.apiKeys().update(LOCAL, "ci", new ApiKey.Update(null, null, true, null)));
    assertThat(enabled.expiresAt()).isEqualTo(soon);
    assertThat(authenticate(here, created).role()).isEqualTo(Role.VIEWER);
    assertThat(here.apiKeys().isExpired(enabled)).isFalse();
    test.records.advance(Duration.ofSeconds(60));
    assertThat(here.apiKeys().isExpired(enabled)).isTrue();
    refuses(created);
    ApiKey.Expiry never = new ApiKey.Expiry(null);
    get(
        here.apiKeys()
            .update(LOCAL, "ci", new ApiKey.Update(Role.ADMINISTRATOR, "no end", null, never)));
    assertThat(authenticate(there, created).role()).isEqualTo(Role.ADMINISTRATOR);
    assertThat(there.apiKeys().find(LOCAL, "ci"))
        .isEqualTo(
            new ApiKey(
                "ci",
                created.key().id(),
                Role.ADMINISTRATOR,
                null,
                "no end",
                true,
                null,
                created.key().createdAt()));
  }

  @Test
  void shouldRefuseInvalidRequests() {
    get(here.apiKeys().add(LOCAL, key("ci", Role.VIEWER)));
    fails(there.apiKeys().add(LOCAL, key("ci", Role.VIEWER)), Kind.EXISTS);
    fails(here.apiKeys().add(LOCAL, key("a b", Role.VIEWER)), Kind.INVALID);
    fails(
        here.apiKeys().update(LOCAL, "ci", new ApiKey.Update(null, "a\rb", null, null)),
        Kind.INVALID);
    fails(
        here.apiKeys().update(LOCAL, "x", new ApiKey.Update(null, null, true, null)),
        Kind.NOT_FOUND);
    fails(here.apiKeys().remove(LOCAL, "x"), Kind.NOT_FOUND);
  }

  @Test
  void shouldConfineCallersToTheirTenant() {
    Caller bound = new Caller("t-admin", Caller.Kind.API_KEY, Role.ADMINISTRATOR, "t");
    get(here.apiKeys().add(LOCAL, key("root", Role.ADMINISTRATOR)));
    ApiKey.Created own = get(here.apiKeys().add(bound, key("own", Role.VIEWER)));
    assertThat(authenticate(there, own).tenant()).isEqualTo("t");
    fails(
        here.apiKeys().add(bound, new ApiKey.Draft("x", Role.VIEWER, "u", "", true, null)),
        Kind.INVALID);
    assertThat(here.apiKeys().list(bound)).containsExactly(own.key());
    assertThat(here.apiKeys().find(bound, "root")).isNull();
    fails(here.apiKeys().remove(bound, "root"), Kind.NOT_FOUND);
    fails(
        here.apiKeys().update(bound, "root", new ApiKey.Update(null, null, false, null)),
        Kind.NOT_FOUND);
  }

  @Test
  void shouldLimitTheNumberOfKeys() {
    List<Change> batch = new ArrayList<>();
    for (int i = 0; i < AccountRules.MAX_ACCOUNTS; i++) {
      ApiKey key =
          new ApiKey("key" + i, "id" + i, Role.VIEWER, null, "", true, null, test.records.now());
      byte[] value = StoredApiKey.of(key, "secret").encode();
      batch.add(Change.put(StoredApiKey.key(key.name()), value));
    }
    get(test.records.metadata.write(batch));
    fails(here.apiKeys().add(LOCAL, key("ci", Role.VIEWER)), Kind.FULL);
  }
}
