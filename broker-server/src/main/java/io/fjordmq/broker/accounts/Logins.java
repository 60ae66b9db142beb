package io.fjordmq.broker.accounts;

import io.fjordmq.broker.accounts.AccountObserver.Result;
import io.fjordmq.broker.accounts.CredentialsException.Kind;
import io.fjordmq.broker.limits.RateLimitedLog;
import io.fjordmq.broker.records.RecordException;
import io.fjordmq.broker.records.ReplicatedRecords;
import io.fjordmq.broker.security.LoginCache;
import io.fjordmq.broker.security.PasswordHash;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.common.OperationException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authenticates the callers of the API, with the accounts that this node knows. Thread-safe;
 * nothing blocks. Futures fail with {@link CredentialsException}, or with {@link RecordException}
 * if the metadata is unavailable. They complete on the calling thread, on the thread that hashes
 * passwords, or on a thread of the metadata group; these must not be blocked.
 */
public final class Logins {
  private static final Logger LOG = LoggerFactory.getLogger(Logins.class);

  private final AccountDirectory directory;
  private final ReplicatedRecords<TokenKey> records;
  private final PasswordThread passwords;
  private final LoginGuard guard;
  private final AccountSettings settings;
  private final InstantSource clock;
  private final AccountObserver observer;
  private final SecureRandom random = new SecureRandom();
  private final LoginCache cache = new LoginCache(AccountRules.MAX_ACCOUNTS);
  private final RateLimitedLog refusals = new RateLimitedLog();

  /** Checked in place of the hash of an unknown user, so that responses take equally long. */
  private final PasswordHash decoy;

  /**
   * A successful login.
   *
   * @param token for {@link #verify} on any node
   * @param expires the end of its validity, in cluster time
   */
  public record IssuedToken(Caller caller, String token, Instant expires) {
    @Override
    public String toString() {
      return caller.toString(); // without the token
    }
  }

  Logins(
      AccountDirectory directory,
      ReplicatedRecords<TokenKey> records,
      PasswordThread passwords,
      LoginGuard guard,
      AccountSettings settings,
      InstantSource clock,
      AccountObserver observer) {
    this.directory = directory;
    this.records = records;
    this.passwords = passwords;
    this.guard = guard;
    this.settings = settings;
    this.clock = clock;
    this.observer = observer;
    this.decoy = PasswordHash.decoy(random);
  }

  /**
   * Checks the password of a user and issues a token. Fails with WRONG_CREDENTIALS,
   * TOO_MANY_FAILURES, BUSY or UNAVAILABLE.
   *
   * @param address the address of the caller, whose failures are counted; need not be an IP address
   */
  public CompletableFuture<IssuedToken> login(String name, String password, String address) {
    return checkPassword(name, password, address)
        .thenCompose(stored -> tokenKey().thenApply(key -> issue(stored, key)));
  }

  private IssuedToken issue(StoredUser stored, TokenKey key) {
    Instant now = clock.instant();
    Instant expires = now.plus(settings.tokenLifetime());
    String token = new Token(stored.user().name(), now, expires, stored.tokenEpoch()).sign(key);
    return new IssuedToken(caller(stored.user()), token, expires);
  }

  /** Returns the key of the cluster, which the first login creates. */
  private CompletableFuture<TokenKey> tokenKey() {
    TokenKey known = directory.tokenKey();
    if (known != null) {
      return CompletableFuture.completedFuture(known);
    }
    return records
        .create(TokenKey.KEY, TokenKey.create(random).encode(), "another node created the key")
        .exceptionallyCompose(
            failure ->
                OperationException.isAny(failure, RecordException.Kind.EXISTS)
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.failedFuture(OperationException.unwrap(failure)))
        .thenCompose(created -> records.read())
        .thenApply(
            view -> {
              TokenKey created = directory.tokenKey();
              if (created == null) {
                throw new RecordException(
                    RecordException.Kind.UNAVAILABLE,
                    "this node has not loaded the key that signs tokens; see its log");
              }
              return created;
            });
  }

  /**
   * Replaces the key that signs tokens, which makes all tokens of all users invalid on every node.
   * Fails with UNAVAILABLE.
   */
  public CompletableFuture<Void> rotateTokenKey() {
    return records.write(Change.put(TokenKey.KEY, TokenKey.create(random).encode(), Change.ANY));
  }

  /**
   * Authenticates a caller by an API key and its secret, or by the name and password of a user.
   * Fails with WRONG_CREDENTIALS, TOO_MANY_FAILURES or BUSY.
   *
   * @param address as for {@link #login}
   */
  public CompletableFuture<Caller> authenticate(String name, String secret, String address) {
    StoredApiKey stored = directory.apiKeyById(name);
    if (stored == null) {
      return checkPassword(name, secret, address).thenApply(user -> caller(user.user()));
    }
    ApiKey key = stored.key();
    if (!stored.matches(secret) || !key.enabled() || key.isExpired(clock.instant())) {
      observer.onLogin(Result.WRONG_CREDENTIALS);
      logRefusal("wrong secret, or API key disabled or expired", key.name(), address);
      return CompletableFuture.failedFuture(wrongCredentials());
    }
    observer.onLogin(Result.ACCEPTED);
    return CompletableFuture.completedFuture(
        new Caller(key.name(), Caller.Kind.API_KEY, key.role(), key.tenant()));
  }

  /**
   * Returns the user to whom a token was issued, with its current role.
   *
   * @throws CredentialsException TOKEN_INVALID or TOKEN_EXPIRED
   */
  public Caller verify(String text) {
    Token token = Token.verify(text, directory.tokenKey());
    StoredUser stored = directory.user(token.user());
    if (stored == null || stored.tokenEpoch() != token.epoch()) {
      throw Token.invalid();
    }
    if (!clock.instant().isBefore(token.expires())) {
      throw new CredentialsException(Kind.TOKEN_EXPIRED, "the token has expired; log in again");
    }
    return caller(stored.user());
  }

  /**
   * Checks the password of a user. Fails with WRONG_CREDENTIALS, TOO_MANY_FAILURES or BUSY; an
   * unknown user takes as long as a wrong password.
   */
  CompletableFuture<StoredUser> checkPassword(String name, String password, String address) {
    if (guard.isBlocked(name, address)) {
      return CompletableFuture.failedFuture(tooManyFailures(name, address));
    }
    byte[] bytes = password.getBytes(StandardCharsets.UTF_8);
    StoredUser stored = AccountRules.isName(name) ? directory.user(name) : null;
    if (stored != null && cache.isKnown(name, bytes, stored.password())) {
      observer.onLogin(Result.ACCEPTED);
      return CompletableFuture.completedFuture(stored);
    }
    return passwords
        .run(LoginGuard.addressKey(address), () -> check(name, bytes, stored, address))
        .whenComplete(
            (known, failure) -> {
              if (OperationException.isAny(failure, Kind.BUSY)) {
                observer.onLogin(Result.BUSY);
              }
            });
  }

  private StoredUser check(
      String name, byte[] password, @Nullable StoredUser stored, String address) {
    boolean right =
        password.length <= AccountRules.MAX_PASSWORD_BYTES
            && (stored == null ? decoy : stored.password()).matches(password);
    // Again, so that parallel guesses do not yield more results than the limit.
    if (guard.isBlocked(name, address)) {
      throw tooManyFailures(name, address);
    }
    if (stored == null || !right) {
      guard.recordFailure(name, address);
      observer.onLogin(Result.WRONG_CREDENTIALS);
      logRefusal("wrong user name or password", name, address);
      throw wrongCredentials();
    }
    cache.remember(name, password, stored.password());
    observer.onLogin(Result.ACCEPTED);
    return stored;
  }

  private CredentialsException tooManyFailures(String name, String address) {
    observer.onLogin(Result.TOO_MANY_FAILURES);
    logRefusal("too many failures (apiConfig.maxLoginFailures)", name, address);
    return new CredentialsException(
        Kind.TOO_MANY_FAILURES,
        "too many failed logins from this address; try again in "
            + settings.loginFailureWindow().toSeconds()
            + " s");
  }

  private static CredentialsException wrongCredentials() {
    return new CredentialsException(
        Kind.WRONG_CREDENTIALS, "wrong user name, password, key or secret");
  }

  private void logRefusal(String reason, String name, String address) {
    String suppressed = refusals.permit();
    if (suppressed != null) {
      // A name that no account can have may be anything, even a password.
      LOG.info(
          "API login refused: {}{} name={} address={}",
          reason,
          suppressed,
          AccountRules.isName(name) ? name : "(invalid)",
          AuditRecord.printable(address));
    }
  }

  private static Caller caller(User user) {
    return new Caller(user.name(), Caller.Kind.USER, user.role(), user.tenant());
  }
}
