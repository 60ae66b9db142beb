package io.fjordmq.broker.providers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.auth.ProviderException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Providers that are down, slow, blocked or faulty. */
class CallGuardTest {
  private static final int MAX_CONCURRENT = 4;
  private static final int MAX_WAITING = 10;

  private final AtomicLong nanos = new AtomicLong();
  private final Map<CallOutcome, AtomicInteger> outcomes = new ConcurrentHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicBoolean breakerOpen = new AtomicBoolean();
  private final Queue<CompletableFuture<String>> pending = new ConcurrentLinkedQueue<>();
  private final ExecutorService threads = Executors.newFixedThreadPool(2);

  private final ProviderMeter meter =
      new ProviderMeter() {
        @Override
        public void onCall(CallOutcome outcome, long elapsed) {
          outcomes.computeIfAbsent(outcome, none -> new AtomicInteger()).incrementAndGet();
        }

        @Override
        public void addWaiting(int delta) {
          waiting.addAndGet(delta);
        }

        @Override
        public void onBreaker(boolean open) {
          breakerOpen.set(open);
        }
      };

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  private static ProviderLimits limits(Duration timeout, int retries, int breakerFailures) {
    return new ProviderLimits(
        timeout,
        MAX_CONCURRENT,
        MAX_WAITING,
        2,
        retries,
        breakerFailures,
        Duration.ofSeconds(5),
        Duration.ZERO,
        Duration.ZERO,
        Duration.ofMinutes(1),
        100);
  }

  private CallGuard direct(Duration timeout, int retries, int breakerFailures) {
    return new CallGuard(
        "test", limits(timeout, retries, breakerFailures), Runnable::run, meter, nanos::get);
  }

  private CompletableFuture<String> call(CallGuard guard) {
    return guard.call(
        () -> {
          CompletableFuture<String> result = new CompletableFuture<>();
          pending.add(result);
          return result;
        },
        () -> false,
        result -> CallOutcome.ALLOW);
  }

  private static CallOutcome outcome(Exception failure) {
    return Objects.requireNonNull((CallFailedException) failure.getCause()).outcome();
  }

  private static CallOutcome failure(CompletableFuture<?> future) throws InterruptedException {
    try {
      future.get(10, TimeUnit.SECONDS);
      throw new AssertionError("must fail");
    } catch (ExecutionException e) {
      return outcome(e);
    } catch (TimeoutException e) {
      throw new AssertionError("must end", e);
    }
  }

  @Test
  void shouldLimitUnansweredAndWaitingCalls() throws Exception {
    CallGuard guard = direct(Duration.ofSeconds(60), 0, 0);
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < MAX_CONCURRENT + MAX_WAITING; i++) {
      calls.add(call(guard));
    }
    assertThat(pending).hasSize(MAX_CONCURRENT);
    assertThat(waiting).hasValue(MAX_WAITING);
    assertThat(failure(call(guard))).isEqualTo(CallOutcome.BUSY);
    while (!pending.isEmpty()) {
      pending.remove().complete("done");
    }
    assertThat(calls).allMatch(one -> "done".equals(one.getNow("")));
    assertThat(waiting).hasValue(0);
    assertThat(outcomes.get(CallOutcome.ALLOW)).hasValue(MAX_CONCURRENT + MAX_WAITING);
  }

  @Test
  void shouldTimeOutAndReleaseThePlace() throws Exception {
    CallGuard guard = direct(Duration.ofMillis(50), 0, 0);
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < MAX_CONCURRENT; i++) {
      calls.add(call(guard));
    }
    for (CompletableFuture<String> one : calls) {
      assertThat(failure(one)).isEqualTo(CallOutcome.TIMED_OUT);
    }
    assertThat(pending).allMatch(CompletableFuture::isCancelled);
    pending.clear();
    CompletableFuture<String> next = call(guard);
    pending.remove().complete("late");
    assertThat(next.get(10, TimeUnit.SECONDS)).isEqualTo("late");
  }

  @Test
  void shouldBoundTheQueueOfAnExecutorWhoseThreadsAreBlocked() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger begun = new AtomicInteger();
    CallGuard guard =
        new CallGuard("test", limits(Duration.ofMillis(50), 0, 0), threads, meter, nanos::get);
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      calls.add(
          guard.call(
              () -> {
                begun.incrementAndGet();
                try {
                  release.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
                return CompletableFuture.completedFuture("x");
              },
              () -> false,
              result -> CallOutcome.ALLOW));
    }
    for (CompletableFuture<String> one : calls) {
      assertThat(failure(one)).isIn(CallOutcome.TIMED_OUT, CallOutcome.BUSY);
    }
    // The threads still hold their calls, so the places are not free although all have timed out.
    assertThat(begun).hasValueLessThanOrEqualTo(2);
    assertThat(outcomes.get(CallOutcome.BUSY)).hasValue(1_000 - MAX_CONCURRENT - MAX_WAITING);
    release.countDown();
  }

  @Test
  void shouldNotCallForClientsThatHaveDisconnected() throws Exception {
    CallGuard guard = direct(Duration.ofSeconds(60), 0, 0);
    for (int i = 0; i < MAX_CONCURRENT; i++) {
      call(guard);
    }
    AtomicBoolean gone = new AtomicBoolean();
    CompletableFuture<String> abandoned =
        guard.call(
            () -> {
              throw new AssertionError("must not be called");
            },
            gone::get,
            result -> CallOutcome.ALLOW);
    CompletableFuture<String> wanted = call(guard);
    gone.set(true);
    pending.remove().complete("x");
    assertThat(failure(abandoned)).isEqualTo(CallOutcome.ABANDONED);
    assertThat(pending).hasSize(MAX_CONCURRENT); // the wanted call has begun
    pending.forEach(one -> one.complete("y"));
    assertThat(wanted.get(10, TimeUnit.SECONDS)).isEqualTo("y");
  }

  @Test
  void shouldOpenTheBreakerAndCloseItAfterASuccessfulCall() throws Exception {
    CallGuard guard = direct(Duration.ofSeconds(60), 0, 3);
    for (int i = 0; i < 3; i++) {
      CompletableFuture<String> one = call(guard);
      pending.remove().completeExceptionally(new ProviderException("down", false, null));
      assertThat(failure(one)).isEqualTo(CallOutcome.FAILED);
    }
    assertThat(breakerOpen).isTrue();
    assertThat(failure(call(guard))).isEqualTo(CallOutcome.BREAKER_OPEN);

    nanos.addAndGet(Duration.ofSeconds(5).toNanos());
    CompletableFuture<String> probe = call(guard);
    assertThat(failure(call(guard))).as("one call at a time").isEqualTo(CallOutcome.BREAKER_OPEN);
    pending.remove().completeExceptionally(new ProviderException("still down", false, null));
    assertThat(failure(probe)).isEqualTo(CallOutcome.FAILED);
    assertThat(failure(call(guard))).isEqualTo(CallOutcome.BREAKER_OPEN);

    nanos.addAndGet(Duration.ofSeconds(5).toNanos());
    CompletableFuture<String> success = call(guard);
    pending.remove().complete("up");
    assertThat(success.get(10, TimeUnit.SECONDS)).isEqualTo("up");
    assertThat(breakerOpen).isFalse();
    call(guard);
    assertThat(pending).hasSize(1);
  }

  @Test
  void shouldNotOpenTheBreakerForFailuresAboutAClient() throws Exception {
    CallGuard guard = direct(Duration.ofSeconds(60), 1, 2);
    for (int i = 0; i < 5; i++) {
      CompletableFuture<String> one = call(guard);
      pending.remove().completeExceptionally(ProviderException.aboutClient("odd name", null));
      assertThat(failure(one)).isEqualTo(CallOutcome.FAILED);
    }
    assertThat(breakerOpen).isFalse();
    CompletableFuture<String> next = call(guard);
    pending.remove().complete("x");
    assertThat(next.get(10, TimeUnit.SECONDS)).isEqualTo("x");
  }

  @Test
  void shouldRefuseAllWaitingCallsOnceTheBreakerOpens() throws Exception {
    CallGuard guard = direct(Duration.ofSeconds(60), 0, MAX_CONCURRENT);
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < MAX_CONCURRENT + MAX_WAITING; i++) {
      calls.add(call(guard));
    }
    // Each failure lets a waiting call begin, until the breaker opens.
    for (int i = 0; i < MAX_CONCURRENT; i++) {
      pending.remove().completeExceptionally(new ProviderException("down", false, null));
    }
    pending.forEach(one -> one.completeExceptionally(new ProviderException("down", false, null)));
    for (CompletableFuture<String> one : calls) {
      assertThat(failure(one)).isIn(CallOutcome.FAILED, CallOutcome.BREAKER_OPEN);
    }
    assertThat(waiting).hasValue(0);
  }

  @Test
  void shouldRepeatOnlyWhatIsSafeToRepeat() throws Exception {
    CallGuard guard = direct(Duration.ofSeconds(60), 1, 0);
    CompletableFuture<String> repeated = call(guard);
    pending.remove().completeExceptionally(new ProviderException("lost", true, null));
    pending.remove().complete("second");
    assertThat(repeated.get(10, TimeUnit.SECONDS)).isEqualTo("second");

    CompletableFuture<String> lostTwice = call(guard);
    pending.remove().completeExceptionally(new ProviderException("lost", true, null));
    pending.remove().completeExceptionally(new ProviderException("lost", true, null));
    assertThat(failure(lostTwice)).isEqualTo(CallOutcome.FAILED);

    CompletableFuture<String> unsafe = call(guard);
    pending.remove().completeExceptionally(new ProviderException("no", false, null));
    assertThat(failure(unsafe)).isEqualTo(CallOutcome.FAILED);
    assertThat(pending).isEmpty();
  }

  @Test
  void shouldSurviveProvidersThatThrowOrReturnNull() throws Exception {
    CallGuard guard = direct(Duration.ofSeconds(60), 0, 0);
    assertThat(
            failure(
                guard.<String>call(
                    () -> {
                      throw new IllegalStateException("bug");
                    },
                    () -> false,
                    result -> CallOutcome.ALLOW)))
        .isEqualTo(CallOutcome.FAILED);
    assertThat(
            failure(
                guard.<String>call(
                    () -> CompletableFuture.completedFuture(null),
                    () -> false,
                    result -> CallOutcome.ALLOW)))
        .isEqualTo(CallOutcome.FAILED);
    for (int i = 0; i < MAX_CONCURRENT; i++) {
      call(guard);
    }
    assertThat(pending).as("no place is lost").hasSize(MAX_CONCURRENT);
  }

  @Test
  void shouldFailWaitingCallsWhenItIsClosed() throws Exception {
    CallGuard guard = direct(Duration.ofSeconds(60), 0, 0);
    for (int i = 0; i < MAX_CONCURRENT; i++) {
      call(guard);
    }
    CompletableFuture<String> queued = call(guard);
    guard.close();
    assertThat(failure(queued)).isEqualTo(CallOutcome.FAILED);
    assertThat(failure(call(guard))).isEqualTo(CallOutcome.FAILED);
    pending.forEach(one -> one.complete("late"));
    assertThat(waiting).hasValue(0);
  }

  @Test
  void shouldKeepItsLimitsUnderConcurrentCalls() throws Exception {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CallGuard guard =
        new CallGuard("test", limits(Duration.ofSeconds(60), 0, 0), threads, meter, nanos::get);
    ExecutorService clients = Executors.newFixedThreadPool(8);
    try {
      List<CompletableFuture<CompletableFuture<String>>> calls = new ArrayList<>();
      for (int i = 0; i < 2_000; i++) {
        calls.add(
            CompletableFuture.supplyAsync(
                () ->
                    guard.call(
                        () -> {
                          most.accumulateAndGet(running.incrementAndGet(), Math::max);
                          return CompletableFuture.supplyAsync(
                              () -> {
                                running.decrementAndGet();
                                return "x";
                              });
                        },
                        () -> false,
                        result -> CallOutcome.ALLOW),
                clients));
      }
      int answered = 0;
      for (CompletableFuture<CompletableFuture<String>> one : calls) {
        try {
          one.join().join();
          answered++;
        } catch (CompletionException busy) {
          assertThat(outcome(busy)).isEqualTo(CallOutcome.BUSY);
        }
      }
      assertThat(answered).isPositive();
      assertThat(most.get()).isLessThanOrEqualTo(MAX_CONCURRENT);
      assertThat(waiting).hasValue(0);
    } finally {
      clients.shutdownNow();
    }
  }
}
