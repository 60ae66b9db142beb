package io.fjordmq.broker.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.delivery.RetainedInFlight.Epoch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a wait ends exactly when the publishes that began before it have ended. */
class RetainedInFlightTest {
  private final RetainedInFlight inFlight = new RetainedInFlight();

  @Test
  void shouldNotWaitIfNothingIsInFlight() {
    assertThat(inFlight.whenDrained()).isCompleted();
    inFlight.end(inFlight.begin());
    assertThat(inFlight.isEmpty()).isTrue();
    assertThat(inFlight.whenDrained()).isCompleted();
  }

  @Test
  void shouldNotWaitForPublishesThatBeginLater() {
    Epoch before = inFlight.begin();
    CompletableFuture<Void> drained = inFlight.whenDrained();
    Epoch later = inFlight.begin();
    assertThat(drained).isNotDone();
    inFlight.end(before);
    assertThat(drained).isCompleted();
    assertThat(inFlight.isEmpty()).isFalse();
    inFlight.end(later);
    assertThat(inFlight.isEmpty()).isTrue();
  }

  @Test
  void shouldWaitForTheNextGracePeriodWhileOneIsRunning() {
    Epoch first = inFlight.begin();
    CompletableFuture<Void> one = inFlight.whenDrained();
    Epoch second = inFlight.begin();
    CompletableFuture<Void> two = inFlight.whenDrained();
    inFlight.end(first);
    assertThat(one).isCompleted();
    assertThat(two).isNotDone();
    Epoch third = inFlight.begin();
    inFlight.end(second);
    assertThat(two).isCompleted();
    inFlight.end(third);
    assertThat(inFlight.isEmpty()).isTrue();
  }

  @Test
  void shouldWaitForTheOlderEpochEvenIfTheNewerOneEndsFirst() {
    Epoch first = inFlight.begin();
    inFlight.whenDrained();
    Epoch second = inFlight.begin();
    CompletableFuture<Void> both = inFlight.whenDrained();
    inFlight.end(second);
    assertThat(both).isNotDone();
    assertThat(inFlight.whenDrained()).as("the first is still in flight").isNotDone();
    inFlight.end(first);
    assertThat(both).isCompleted();
  }

  private record Wait(CompletableFuture<Void> future, Set<Integer> publishes) {}

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void shouldNeverEndAWaitTooEarlyNorKeepItForever(int seed) {
    Random random = new Random(seed);
    List<Integer> open = new ArrayList<>();
    List<Epoch> epochs = new ArrayList<>();
    Deque<Wait> waits = new ArrayDeque<>();
    for (int step = 0; step < 20_000; step++) {
      int choice = random.nextInt(5);
      if (choice < 2 && open.size() < 8) {
        open.add(step);
        epochs.add(inFlight.begin());
      } else if (choice < 4 && !open.isEmpty()) {
        int ended = random.nextInt(open.size());
        open.remove(ended);
        inFlight.end(epochs.remove(ended));
      } else {
        waits.add(new Wait(inFlight.whenDrained(), new HashSet<>(open)));
      }
      waits.forEach(wait -> wait.publishes.retainAll(open));
      waits.stream()
          .filter(wait -> wait.future.isDone())
          .forEach(wait -> assertThat(wait.publishes).isEmpty());
      waits.removeIf(wait -> wait.future.isDone());
      assertThat(inFlight.isEmpty()).isEqualTo(open.isEmpty());
      assertThat(open.isEmpty() && !waits.isEmpty()).as("a wait never ends").isFalse();
    }
  }
}
