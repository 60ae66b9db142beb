package io.fjordmq.broker.topicmetrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SoloConsensus;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataSettings;
import io.fjordmq.cluster.metadata.MetadataStorage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A metadata group with one replica, and the topic metrics of nodes that follow it. */
public final class TestTopicMetrics implements AutoCloseable {
  private static final NodeId NODE = new NodeId("n");

  final MetadataGroup metadata;
  private final List<TopicMetrics> opened = new ArrayList<>();
  private volatile Instant now = Instant.parse("2030-01-01T00:00:00Z");

  private static final class NoStorage implements MetadataStorage {
    @Override
    public byte @Nullable [] load() {
      return null;
    }

    @Override
    public void save(byte[] checkpoint) {}
  }

  public TestTopicMetrics() {
    SoloConsensus host = SoloConsensus.withLogs(NODE, new HashMap<>(), false);
    MetadataGroup.bootstrap(host, ReplicaSet.ofVoters(NODE));
    try {
      metadata = MetadataGroup.open(host, new NoStorage(), MetadataSettings.DEFAULT, Runnable::run);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The topic metrics of another node. */
  public TopicMetrics open() {
    TopicMetrics metrics =
        TopicMetrics.open(new TopicMetrics.Dependencies(metadata, metadata::write, () -> now));
    opened.add(metrics);
    return metrics;
  }

  public Instant now() {
    return now;
  }

  public void advance(Duration time) {
    now = now.plus(time);
  }

  public static <T> T get(CompletableFuture<T> future) {
    try {
      return future.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException | InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  /** Waits until the future fails with this kind; returns the message. */
  static String fails(CompletableFuture<?> future, TopicMetricsException.Kind kind) {
    try {
      future.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      assertThat(e).hasCauseInstanceOf(TopicMetricsException.class);
      TopicMetricsException failure = (TopicMetricsException) Objects.requireNonNull(e.getCause());
      assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(kind);
      return String.valueOf(failure.getMessage());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("did not fail with " + kind);
  }

  @Override
  public void close() {
    opened.forEach(TopicMetrics::close);
    metadata.close();
  }
}
