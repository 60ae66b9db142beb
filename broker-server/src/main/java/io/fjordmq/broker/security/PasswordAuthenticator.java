package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.DenyReason;
import io.fjordmq.api.plugin.Identity;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates user names and passwords with the password file. Password hashes are slow by
 * design, so they are computed on a few dedicated threads with a bounded queue.
 *
 * <p>If a user is not in the file, the next authenticator decides, after the same delay as for a
 * wrong password. Response times therefore do not reveal which users exist.
 */
final class PasswordAuthenticator implements Authenticator {
  private static final byte[] NO_PASSWORD = {};

  private final WatchedFile<PasswordFile> file;
  private final SecurityObserver observer;
  private final ThreadPoolExecutor threads;
  private final @Nullable LoginCache loginCache;
  private final long maxQueueNanos;
  // The decoy for the current contents of the file.
  private volatile DecoyHash decoyHash = new DecoyHash(new PasswordFile(Map.of()), null);

  private record DecoyHash(PasswordFile file, @Nullable PasswordHash hash) {}

  PasswordAuthenticator(
      WatchedFile<PasswordFile> file, SecuritySettings settings, SecurityObserver observer) {
    this.file = file;
    this.observer = observer;
    this.maxQueueNanos = settings.providerTimeout().toNanos();
    int count =
        settings.passwordThreads() > 0
            ? settings.passwordThreads()
            : Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    AtomicInteger number = new AtomicInteger();
    threads =
        new ThreadPoolExecutor(
            count,
            count,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(settings.maxWaitingPasswords()),
            task -> new Thread(task, "password-" + number.incrementAndGet()));
    threads.allowCoreThreadTimeOut(true);
    loginCache = settings.loginCacheSize() == 0 ? null : new LoginCache(settings.loginCacheSize());
  }

  @Override
  public CompletionStage<Authentication> authenticate(ConnectAttempt attempt) {
    String user = attempt.userName();
    if (user == null) {
      return Authentication.pass().now();
    }
    PasswordFile users = file.current();
    byte[] given = attempt.password();
    byte[] password = given == null ? NO_PASSWORD : given;
    PasswordHash hash = users.users().get(user);
    if (hash != null && loginCache != null && loginCache.isKnown(user, password, hash)) {
      return new Authentication.Allow(Identity.of(user)).now();
    }
    CompletableFuture<Authentication> result = new CompletableFuture<>();
    try {
      observer.addQueuedPasswords(1);
      long since = System.nanoTime();
      threads.execute(
          () -> {
            observer.addQueuedPasswords(-1);
            // For a client that has timed out, computing the hash would only delay other clients.
            boolean timedOut = System.nanoTime() - since > maxQueueNanos;
            result.complete(timedOut ? busy() : check(user, password, hash, users));
          });
    } catch (RejectedExecutionException e) {
      observer.addQueuedPasswords(-1);
      result.complete(busy());
    }
    return result;
  }

  private static Authentication busy() {
    return new Authentication.Deny(
        DenyReason.SERVER_BUSY, "too many logins are waiting for a password check");
  }

  private Authentication check(
      String user, byte[] password, @Nullable PasswordHash hash, PasswordFile users) {
    if (hash == null) {
      PasswordHash instead = decoy(users);
      if (instead != null) {
        instead.matches(password);
      }
      return Authentication.pass();
    }
    if (!hash.matches(password)) {
      return Authentication.deny("wrong password");
    }
    if (loginCache != null) {
      loginCache.remember(user, password, hash);
    }
    return new Authentication.Allow(Identity.of(user));
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
    threads.shutdownNow();
  }
}
