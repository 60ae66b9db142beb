package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.broker.security.AuthenticationStep.Outcome;
import io.fjordmq.broker.security.PasswordVerifier.Result;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates user names and passwords with the password file.
 *
 * <p>If a user is not in the file, the next authenticator decides, after the same delay as for a
 * wrong password.
 */
final class PasswordAuthenticator implements PasswordLogins {
  private final WatchedFile<PasswordFile> file;
  private final PasswordVerifier verifier;
  // The decoy for the current contents of the file.
  private volatile DecoyHash decoyHash = new DecoyHash(new PasswordFile(Map.of()), null);

  private record DecoyHash(PasswordFile file, @Nullable PasswordHash hash) {}

  PasswordAuthenticator(
      WatchedFile<PasswordFile> file, SecuritySettings settings, SecurityObserver observer) {
    this.file = file;
    this.verifier = new PasswordVerifier(settings, observer);
  }

  @Override
  public CompletableFuture<Outcome> authenticate(ConnectAttempt attempt) {
    String user = attempt.userName();
    if (user == null) {
      return CompletableFuture.completedFuture(Outcome.passed(""));
    }
    PasswordFile users = file.current();
    byte[] given = attempt.password();
    byte[] password = given == null ? NO_PASSWORD : given;
    PasswordHash hash = users.users().get(user);
    if (hash == null) {
      return verifier
          .simulateCheck(password, () -> decoy(users))
          .thenApply(result -> result == Result.BUSY ? Outcome.busy() : Outcome.passed(""));
    }
    return verifier
        .verify(user, password, hash, null, PasswordVerifier.FollowUp.NONE)
        .thenApply(
            result ->
                switch (result) {
                  case RIGHT -> allowed(user, hash);
                  case WRONG -> Outcome.denied("wrong password");
                  case BUSY -> Outcome.busy();
                });
  }

  private Outcome allowed(String user, PasswordHash hash) {
    return new Outcome(
        new Authentication.Allow(Identity.of(user)),
        DenialCause.DENIED,
        "",
        IdentityCheck.of(file, user, hash));
  }

  private @Nullable PasswordHash decoy(PasswordFile users) {
    DecoyHash known = decoyHash;
    if (known.file != users) {
      known = new DecoyHash(users, users.decoy());
      decoyHash = known;
    }
    return known.hash;
  }

  @Override
  public void close() {
    verifier.close();
  }
}
