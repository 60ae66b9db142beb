package io.fjordmq.broker.security;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares passwords with their hashes. Hashes are slow by design, so they are computed on a few
 * dedicated threads with a bounded queue, and the last correct password of each user is recognized
 * without its hash. Thread-safe; does not block.
 */
final class PasswordVerifier implements AutoCloseable {
  /** The result of a comparison. */
  enum Result {
    RIGHT,
    WRONG,
    /** Too many logins are waiting; nothing was compared. */
    BUSY
  }

  static final String BUSY_DETAIL = "too many logins are waiting for a password check";

  private static final Logger LOG = LoggerFactory.getLogger(PasswordVerifier.class);

  /** Work that follows a correct password. */
  interface FollowUp {
    FollowUp NONE =
        new FollowUp() {
          @Override
          public boolean isDue() {
            return false;
          }

          @Override
          public void run() {}
        };

    /** Whether {@link #run} must be called even if no hash was computed. Cheap. */
    boolean isDue();

    /** Runs on a thread that computes hashes, after the client has its result. */
    void run();
  }

  private final SecurityObserver observer;
  private final ThreadPoolExecutor threads;
  private final @Nullable LoginCache loginCache;
  private final long maxQueueNanos;
  // One at a time, because logins that need no hash must not fill the queue.
  private final AtomicBoolean followingUp = new AtomicBoolean();

  PasswordVerifier(SecuritySettings settings, SecurityObserver observer) {
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

  /**
   * Compares a password with the hash of a user.
   *
   * @param ifWrong a hash that no password matches, to compute if the password is wrong; null for
   *     none
   * @param followUp runs if the password is right
   */
  CompletableFuture<Result> verify(
      String user,
      byte[] password,
      PasswordHash hash,
      @Nullable PasswordHash ifWrong,
      FollowUp followUp) {
    if (loginCache != null && loginCache.isKnown(user, password, hash)) {
      startIfDue(followUp);
      return CompletableFuture.completedFuture(Result.RIGHT);
    }
    return run(
        () -> {
          if (!hash.matches(password)) {
            if (ifWrong != null) {
              ifWrong.matches(password);
            }
            return Result.WRONG;
          }
          if (loginCache != null) {
            loginCache.remember(user, password, hash);
          }
          return Result.RIGHT;
        },
        followUp);
  }

  private void startIfDue(FollowUp followUp) {
    if (!followUp.isDue() || followingUp.getAndSet(true)) {
      return;
    }
    try {
      threads.execute(
          () -> {
            runSafely(followUp);
            followingUp.set(false);
          });
    } catch (RejectedExecutionException e) {
      followingUp.set(false); // a later login tries again
    }
  }

  private static void runSafely(FollowUp followUp) {
    try {
      followUp.run();
    } catch (RuntimeException e) {
      LOG.error("Login callback threw; please report this bug", e);
    }
  }

  /**
   * Takes as long as a wrong password, so that response times do not reveal which users exist.
   *
   * @param decoy a hash that no password matches; null to compute none
   */
  CompletableFuture<Result> simulateCheck(byte[] password, Supplier<@Nullable PasswordHash> decoy) {
    return run(
        () -> {
          PasswordHash hash = decoy.get();
          if (hash != null) {
            hash.matches(password);
          }
          return Result.WRONG;
        },
        FollowUp.NONE);
  }

  private CompletableFuture<Result> run(Supplier<Result> work, FollowUp followUp) {
    CompletableFuture<Result> result = new CompletableFuture<>();
    try {
      observer.addQueuedPasswords(1);
      long since = System.nanoTime();
      threads.execute(
          () -> {
            observer.addQueuedPasswords(-1);
            // For a client that has timed out, computing the hash would only delay other clients.
            boolean timedOut = System.nanoTime() - since > maxQueueNanos;
            complete(result, timedOut ? () -> Result.BUSY : work);
            if (!result.isCompletedExceptionally() && result.join() == Result.RIGHT) {
              runSafely(followUp);
            }
          });
    } catch (RejectedExecutionException e) {
      observer.addQueuedPasswords(-1);
      result.complete(Result.BUSY);
    }
    return result;
  }

  private static void complete(CompletableFuture<Result> result, Supplier<Result> work) {
    try {
      result.complete(work.get());
    } catch (RuntimeException | Error e) {
      result.completeExceptionally(e);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
