package io.fjordmq.broker.records;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SoloConsensus;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataClient;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataSettings;
import io.fjordmq.cluster.metadata.MetadataStorage;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.common.OperationException;
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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A metadata group with one replica and simulated time, for the services of nodes that keep their
 * records in it.
 */
public final class TestRecords implements AutoCloseable {
  private static final NodeId NODE = new NodeId("n");

  public final MetadataGroup metadata;
  private final MetadataClient client;
  private final List<AutoCloseable> opened = new ArrayList<>();
  private volatile Instant now = Instant.parse("2030-01-01T00:00:00Z");

  /** Replaces the way in which records are written; null for the usual one. */
  public volatile @Nullable Function<List<Change>, CompletableFuture<WriteResult>> writer;

  private static final class NoStorage implements MetadataStorage {
    @Override
    public byte @Nullable [] load() {
      return null;
    }

    @Override
    public void save(byte[] checkpoint) {}
  }

  public TestRecords() {
    SoloConsensus host = SoloConsensus.withLogs(NODE, new HashMap<>(), false);
    MetadataGroup.bootstrap(host, ReplicaSet.ofVoters(NODE));
    try {
      metadata = MetadataGroup.open(host, new NoStorage(), MetadataSettings.DEFAULT, Runnable::run);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    client = new MetadataClient(metadata, this::write);
  }

  private CompletableFuture<WriteResult> write(List<Change> batch) {
    Function<List<Change>, CompletableFuture<WriteResult>> replaced = writer;
    return replaced == null ? metadata.write(batch) : replaced.apply(batch);
  }

  public MetadataClient client() {
    return client;
  }

  /** Closes a service together with these records; returns it. */
  public <T extends AutoCloseable> T own(T service) {
    opened.add(service);
    return service;
  }

  public Instant now() {
    return now;
  }

  public void advance(Duration time) {
    now = now.plus(time);
  }

  /** Writes a record without a check. */
  public void put(String key, byte[] value) {
    get(metadata.write(List.of(Change.put(key, value))));
    get(metadata.readView());
  }

  /** The value of a record of the metadata. */
  public byte[] value(String key) {
    return Objects.requireNonNull(metadata.view().get(key), key).value();
  }

  public static <T> T get(CompletableFuture<T> future) {
    try {
      return future.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException | InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  /** Waits until the future fails with this kind; returns the message. */
  public static String fails(CompletableFuture<?> future, Enum<?> kind) {
    try {
      future.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      assertThat(e).hasCauseInstanceOf(OperationException.class);
      OperationException failure = (OperationException) Objects.requireNonNull(e.getCause());
      assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(kind);
      return String.valueOf(failure.getMessage());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("did not fail with " + kind);
  }

  @Override
  public void close() {
    for (AutoCloseable service : opened) {
      try {
        service.close();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
    metadata.close();
  }
}
