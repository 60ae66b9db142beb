package io.fjordmq.range.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.common.ManualTimers;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.testing.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** A client of two ranges in virtual time; the test responds on behalf of their replicas. */
abstract class RangeClientFixture {
  static final NodeId A = new NodeId("a");
  static final NodeId B = new NodeId("b");
  static final NodeId C = new NodeId("c");
  static final RangeClientSettings SETTINGS =
      RecordBuilder.from(RangeClientSettings.DEFAULTS)
          .with(RangeClientSettings::maxCommandBytes, 100)
          .with(RangeClientSettings::maxBatchBytes, 200)
          .with(RangeClientSettings::maxBatchCommands, 3)
          .with(RangeClientSettings::maxBatchResponseBytes, 50)
          .with(RangeClientSettings::batchInterval, Duration.ZERO)
          .with(RangeClientSettings::flushCommands, 1)
          .with(RangeClientSettings::maxQueuedCommands, 5)
          .with(RangeClientSettings::maxQueuedBytes, 1000)
          .with(RangeClientSettings::maxQueries, 2)
          .with(RangeClientSettings::deadline, Duration.ofMillis(1000))
          .with(RangeClientSettings::attemptTimeout, Duration.ofMillis(100))
          .with(RangeClientSettings::backoff, Duration.ofMillis(10))
          .with(RangeClientSettings::maxBackoff, Duration.ofMillis(40))
          .with(RangeClientSettings::reregisterAfter, Duration.ofMillis(5000))
          .build();

  final ManualTimers timers = new ManualTimers();
  final FakeRanges ranges = new FakeRanges();
  final RoutedRangeClient client = client(range(1, "", "m", 1), range(2, "m", null, 1));

  RoutedRangeClient client(RangeDescriptor... known) {
    return new RoutedRangeClient(
        "words", List.of(known), ranges, timers, SETTINGS, RangeObserver.NONE);
  }

  CompletableFuture<byte[]> mutate(String command) {
    return client.mutate(bytes(command.substring(0, 1)), bytes(command));
  }

  CompletableFuture<byte[]> query(String key) {
    return client.query(bytes(key), bytes("?"));
  }

  static RangeException.Kind kindOf(CompletableFuture<?> future) {
    assertThat(future).isCompletedExceptionally();
    try {
      future.get();
      throw new AssertionError("completed");
    } catch (ExecutionException e) {
      return ((RangeException) Objects.requireNonNull(e.getCause())).kind();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @SuppressWarnings("NullAway") // the checker does not see in class files that an array may be null
  static RangeDescriptor range(long number, String start, @Nullable String end, long version) {
    return new RangeDescriptor(
        new RangeId("words", number),
        new KeyInterval(bytes(start), end == null ? null : bytes(end)),
        new RangeEpoch(version, 1),
        ReplicaSet.ofVoters(A, B, C));
  }

  static RangeDescriptor withVoters(RangeDescriptor range, long replicas, NodeId... voters) {
    return new RangeDescriptor(
        range.id(),
        range.interval(),
        new RangeEpoch(range.epoch().version(), replicas),
        ReplicaSet.ofVoters(voters));
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }
}
