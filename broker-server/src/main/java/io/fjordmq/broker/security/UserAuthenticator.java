package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.broker.security.AuthenticationStep.Outcome;
import io.fjordmq.broker.security.PasswordVerifier.Result;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;

/**
 * Authenticates user names and passwords with the users of the database. A user that is not in the
 * database is passed on to the next authenticator, after the same delay as for a wrong password.
 * Thread-safe; does not block.
 */
final class UserAuthenticator implements PasswordLogins {
  private final UserSource users;
  private final PasswordVerifier verifier;
  private final PasswordHash decoy = PasswordHash.decoy(new SecureRandom());

  /** Replaces the credentials of a user that has logged in. */
  private final class Upgrade implements PasswordVerifier.FollowUp {
    private final DatabaseUser user;
    private final byte[] password;

    Upgrade(DatabaseUser user, byte[] password) {
      this.user = user;
      this.password = password;
    }

    @Override
    public boolean isDue() {
      return users.isUpgradeDue(user);
    }

    @Override
    public void run() {
      users.onPasswordVerified(user, password);
    }
  }

  UserAuthenticator(UserSource users, SecuritySettings settings, SecurityObserver observer) {
    this.users = users;
    this.verifier = new PasswordVerifier(settings, observer);
  }

  @Override
  public CompletableFuture<Outcome> authenticate(ConnectAttempt attempt) {
    String name = attempt.userName();
    if (name == null) {
      return CompletableFuture.completedFuture(Outcome.passed("the client sent no user name"));
    }
    byte[] given = attempt.password();
    byte[] password = given == null ? NO_PASSWORD : given;
    DatabaseUser user = users.find(name);
    if (user == null) {
      return simulateCheck(password, Outcome.passed(""));
    }
    PasswordHash hash = user.credentials().password();
    return hash == null
        ? simulateCheck(password, Outcome.denied("the user has no password"))
        : verify(user, hash, password);
  }

  private CompletableFuture<Outcome> simulateCheck(byte[] password, Outcome outcome) {
    return verifier
        .simulateCheck(password, () -> decoy)
        .thenApply(result -> result == Result.BUSY ? Outcome.busy() : outcome);
  }

  private CompletableFuture<Outcome> verify(DatabaseUser user, PasswordHash hash, byte[] password) {
    return verifier
        .verify(
            user.name(),
            password,
            hash,
            hash.isFast() ? decoy : null, // as slow as for an unknown user
            new Upgrade(user, password))
        .thenApply(result -> outcomeOf(user, result));
  }

  private Outcome outcomeOf(DatabaseUser user, Result result) {
    return switch (result) {
      case WRONG -> Outcome.denied("wrong password");
      case BUSY -> Outcome.busy();
      // After the password, so that only its owner learns that the user exists.
      case RIGHT ->
          user.enabled()
              ? new Outcome(
                  new Authentication.Allow(user.identity()),
                  DenialCause.DENIED,
                  "",
                  IdentityCheck.of(users, user))
              : Outcome.denied("the user is disabled");
    };
  }

  @Override
  public void close() {
    verifier.close();
  }
}
