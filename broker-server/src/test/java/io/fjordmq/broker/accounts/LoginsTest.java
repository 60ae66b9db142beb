package io.fjordmq.broker.accounts;

import static io.fjordmq.broker.accounts.TestAccounts.ADDRESS;
import static io.fjordmq.broker.accounts.TestAccounts.LOCAL;
import static io.fjordmq.broker.accounts.TestAccounts.administrator;
import static io.fjordmq.broker.records.TestRecords.fails;
import static io.fjordmq.broker.records.TestRecords.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.accounts.AccountObserver.Result;
import io.fjordmq.broker.accounts.CredentialsException.Kind;
import io.fjordmq.broker.records.RecordException;
import io.fjordmq.cluster.metadata.Change;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoginsTest {
  private static final String PASSWORD = "correct horse";

  private final TestAccounts test = new TestAccounts();

  @AfterEach
  void close() {
    test.close();
  }

  @Test
  void shouldIssueTokensThatEveryNodeAcceptsUntilTheyExpire() {
    Accounts here =
        test.open(
            TestAccounts.settings()
                .with(AccountSettings::tokenLifetime, Duration.ofMinutes(5))
                .build());
    Accounts there = test.open();
    get(here.users().add(LOCAL, administrator("ann", PASSWORD)));
    Logins.IssuedToken session = get(here.logins().login("ann", PASSWORD, ADDRESS));
    Caller ann = new Caller("ann", Caller.Kind.USER, Role.ADMINISTRATOR, null);
    assertThat(session.caller()).isEqualTo(ann);
    assertThat(session.expires()).isEqualTo(test.records.now().plus(Duration.ofMinutes(5)));
    assertThat(session.toString()).doesNotContain(session.token());
    byte[] key = test.records.value("token-key");
    Logins.IssuedToken other = get(there.logins().login("ann", PASSWORD, ADDRESS));
    assertThat(test.records.value("token-key")).isEqualTo(key);
    for (Accounts node : List.of(here, there, test.open())) {
      assertThat(node.logins().verify(session.token())).isEqualTo(ann);
      assertThat(node.logins().verify(other.token())).isEqualTo(ann);
    }
    test.records.advance(Duration.ofMinutes(5));
    assertThatThrownBy(() -> there.logins().verify(session.token()))
        .isInstanceOfSatisfying(
            CredentialsException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TOKEN_EXPIRED));
    assertThat(here.logins().verify(other.token())).isEqualTo(ann);
  }

  @Test
  void shouldAgreeOnOneKeyIfTwoNodesLogInAtOnce() {
    Accounts here = test.open();
    Accounts there = test.open();
    get(here.users().add(LOCAL, administrator("ann", PASSWORD)));
    test.records.writer =
        batch -> {
          test.records.writer = null;
          // The other node is faster.
          get(there.logins().login("ann", PASSWORD, ADDRESS));
          return test.records.metadata.write(batch);
        };
    String token = get(here.logins().login("ann", PASSWORD, ADDRESS)).token();
    assertThat(there.logins().verify(token).name()).isEqualTo("ann");
  }

  @Test
  void shouldRefuseEveryTokenBeforeTheFirstLogin() {
    assertThatThrownBy(() -> test.open().logins().verify("AQNhbm7oB9APAQIDBAUGBwg7"))
        .isInstanceOf(CredentialsException.class)
        .hasMessage("the token is not valid; log in again");
  }

  @Test
  void shouldNotIssueTokensSignedWithAKeyThatItCannotRead() {
    Accounts here = test.open();
    get(here.users().add(LOCAL, administrator("ann", PASSWORD)));
    get(test.records.metadata.write(List.of(Change.put("token-key", new byte[] {2}))));
    assertThat(
            fails(here.logins().login("ann", PASSWORD, ADDRESS), RecordException.Kind.UNAVAILABLE))
        .contains("see its log");
    assertThat(test.records.value("token-key")).containsExactly(2);
  }

  @Test
  void shouldRefuseUnknownUsersLikeWrongPasswords() {
    Accounts here = test.open();
    get(here.users().add(LOCAL, administrator("ann", PASSWORD)));
    String wrong = fails(here.logins().login("ann", "incorrect", ADDRESS), Kind.WRONG_CREDENTIALS);
    for (String name : List.of("bob", "", "\u0000", "x".repeat(100_000), "ann\n")) {
      assertThat(fails(here.logins().login(name, PASSWORD, name), Kind.WRONG_CREDENTIALS))
          .isEqualTo(wrong);
    }
    String longest = "x".repeat(1 << 20);
    fails(here.logins().login("ann", longest, ADDRESS), Kind.WRONG_CREDENTIALS);
    fails(here.logins().authenticate("bob", PASSWORD, ADDRESS), Kind.WRONG_CREDENTIALS);
    assertThat(test.results).containsExactlyEntriesOf(Map.of(Result.WRONG_CREDENTIALS, 8));
  }

  @Test
  void shouldAuthenticateAUserByNameAndPassword() {
    Accounts here = test.open();
    get(here.users().add(LOCAL, administrator("ann", PASSWORD)));
    Caller ann = new Caller("ann", Caller.Kind.USER, Role.ADMINISTRATOR, null);
    for (int i = 0; i < 2; i++) { // the second time from the cache
      assertThat(get(here.logins().authenticate("ann", PASSWORD, ADDRESS))).isEqualTo(ann);
    }
    fails(here.logins().authenticate("ann", PASSWORD + " ", ADDRESS), Kind.WRONG_CREDENTIALS);
    get(here.users().setPassword(LOCAL, "ann", "another password"));
    fails(here.logins().authenticate("ann", PASSWORD, ADDRESS), Kind.WRONG_CREDENTIALS);
  }

  private Accounts limitedTo(int failures) {
    return test.open(
        TestAccounts.settings()
            .with(AccountSettings::maxLoginFailures, failures)
            .with(AccountSettings::loginFailureWindow, Duration.ofDays(1))
            .with(AccountSettings::maxWaitingPasswords, 64)
            .build());
  }

  @Test
  void shouldBlockAnAddressAfterTooManyFailures() {
    Accounts here = limitedTo(2);
    get(here.users().add(LOCAL, administrator("ann", PASSWORD)));
    String token = get(here.logins().login("ann", PASSWORD, ADDRESS)).token();
    fails(here.logins().login("ann", "guess 1", "2001:db8:1:2::1"), Kind.WRONG_CREDENTIALS);
    fails(here.logins().login("ann", "guess 2", "2001:db8:1:2::2"), Kind.WRONG_CREDENTIALS);
    assertThat(
            fails(here.logins().login("ann", PASSWORD, "2001:db8:1:2:3::"), Kind.TOO_MANY_FAILURES))
        .isEqualTo("too many failed logins from this address; try again in 86400 s");
    fails(here.logins().authenticate("ann", PASSWORD, "2001:db8:1:2::3"), Kind.TOO_MANY_FAILURES);
    get(here.logins().login("ann", PASSWORD, "2001:db8:1:3::1"));
    assertThat(here.logins().verify(token).name()).isEqualTo("ann");
  }

  @Test
  void shouldNotBlockAUserWhosePasswordIsGuessedElsewhere() {
    Accounts here = limitedTo(2);
    get(here.users().add(LOCAL, administrator("ann", PASSWORD)));
    ApiKey.Created key = get(here.apiKeys().add(LOCAL, TestAccounts.key("ann", Role.VIEWER)));
    String token = get(here.logins().login("ann", PASSWORD, ADDRESS)).token();
    fails(here.logins().login("ann", "guessed 1", "192.0.2.2"), Kind.WRONG_CREDENTIALS);
    fails(
        here.users().changePassword(LOCAL, "ann", "guessed 2", "new password", "192.0.2.3"),
        Kind.WRONG_CREDENTIALS);
    fails(here.logins().login("ann", "guessed 3", "192.0.2.2"), Kind.WRONG_CREDENTIALS);
    fails(here.logins().login("ann", PASSWORD, "192.0.2.2"), Kind.TOO_MANY_FAILURES);
    get(here.logins().login("ann", PASSWORD, "192.0.2.4"));
    assertThat(here.logins().verify(token).name()).isEqualTo("ann");
    get(here.logins().authenticate(key.key().id(), key.secret(), "192.0.2.5"));
  }

  @Test
  void shouldNotAnswerMoreParallelGuessesThanTheLimit() {
    Accounts here = limitedTo(3);
    get(here.users().add(LOCAL, administrator("ann", PASSWORD)));
    List<CompletableFuture<Logins.IssuedToken>> guesses = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      guesses.add(here.logins().login("ann", "guess number " + i, ADDRESS));
    }
    guesses.add(here.logins().login("ann", PASSWORD, ADDRESS));
    guesses.forEach(guess -> guess.handle((session, failure) -> null).join());
    assertThat(test.results)
        .containsOnlyKeys(Result.WRONG_CREDENTIALS, Result.TOO_MANY_FAILURES)
        .containsEntry(Result.WRONG_CREDENTIALS, 3)
        .containsEntry(Result.TOO_MANY_FAILURES, 6);
  }

  @Test
  void shouldRefuseLoginsWhileTooManyPasswordsWait() throws InterruptedException {
    CountDownLatch release = new CountDownLatch(1);
    try (PasswordThread thread =
        new PasswordThread(2, Duration.ofSeconds(60), AccountObserver.NONE)) {
      CountDownLatch running = new CountDownLatch(1);
      CompletableFuture<Boolean> first =
          thread.run(
              () -> {
                running.countDown();
                try {
                  release.await();
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
                return true;
              });
      running.await();
      CompletableFuture<Integer> second = thread.run(() -> 2);
      CompletableFuture<Integer> third = thread.run(() -> 3);
      fails(thread.run(() -> 4), Kind.BUSY);
      release.countDown();
      assertThat(get(first)).isTrue();
      assertThat(get(second)).isEqualTo(2);
      assertThat(get(third)).isEqualTo(3);
    }
  }

  @Test
  void shouldLeaveRoomForOtherAddressesWhileOneFloodsTheQueue() throws InterruptedException {
    CountDownLatch release = new CountDownLatch(1);
    try (PasswordThread thread =
        new PasswordThread(8, Duration.ofSeconds(60), AccountObserver.NONE)) {
      List<CompletableFuture<Boolean>> flood = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        flood.add(thread.run("198.51.100.1", () -> await(release)));
      }
      assertThat(flood.stream().filter(CompletableFuture::isCompletedExceptionally)).hasSize(18);
      CompletableFuture<Integer> other = thread.run("192.0.2.1", () -> 1);
      release.countDown();
      assertThat(get(other)).isEqualTo(1);
      assertThat(get(flood.get(0))).isTrue();
      assertThat(get(flood.get(1))).isTrue();
      assertThat(get(thread.run("198.51.100.1", () -> 2))).isEqualTo(2);
    }
  }

  private static boolean await(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldMakeAllTokensInvalidWhenTheirKeyIsReplaced() {
    Accounts here = test.open();
    Accounts there = test.open();
    get(here.users().add(LOCAL, administrator("ann", PASSWORD)));
    ApiKey.Created key = get(here.apiKeys().add(LOCAL, TestAccounts.key("k", Role.VIEWER)));
    String before = get(here.logins().login("ann", PASSWORD, ADDRESS)).token();
    byte[] oldKey = test.records.value("token-key");
    get(there.logins().rotateTokenKey());
    assertThat(test.records.value("token-key")).isNotEqualTo(oldKey);
    for (Accounts node : List.of(here, there)) {
      assertThatThrownBy(() -> node.logins().verify(before))
          .isInstanceOfSatisfying(
              CredentialsException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TOKEN_INVALID));
    }
    String after = get(here.logins().login("ann", PASSWORD, ADDRESS)).token();
    assertThat(there.logins().verify(after).name()).isEqualTo("ann");
    get(here.logins().authenticate(key.key().id(), key.secret(), ADDRESS));
  }

  @Test
  void shouldRefuseAPasswordThatHasWaitedTooLong() {
    try (PasswordThread thread = new PasswordThread(1, Duration.ZERO, AccountObserver.NONE)) {
      fails(thread.run(() -> 1), Kind.BUSY);
    }
  }
}
