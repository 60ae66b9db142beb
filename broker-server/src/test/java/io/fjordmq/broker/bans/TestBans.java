package io.fjordmq.broker.bans;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SoloConsensus;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataSettings;
import io.fjordmq.cluster.metadata.MetadataStorage;
import io.fjordmq.cluster.metadata.WriteResult;
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

/** A metadata group with one replica, and the bans of nodes that follow it. */
public final class TestBans implements AutoCloseable {
  public static final Caller ANN = caller("ann", null);
  private static final NodeId NODE = new NodeId("n");

  final MetadataGroup metadata;
  private final List<Bans> opened = new ArrayList<>();
  private volatile Instant now = Instant.parse("2030-01-01T00:00:00Z");

  /** Replaces the way in which bans are written; null for the usual one. */
  volatile @Nullable Function<List<Change>, CompletableFuture<WriteResult>> writer;

  private static final class NoStorage implements MetadataStorage {
    @Override
    public byte @Nullable [] load() {
      return null;
    }

    @Override
    public void save(byte[] checkpoint) {}
  }

  public TestBans() {
    SoloConsensus host = SoloConsensus.withLogs(NODE, new HashMap<>(), false);
    MetadataGroup.bootstrap(host, ReplicaSet.ofVoters(NODE));
    try {
      metadata = MetadataGroup.open(host, new NoStorage(), MetadataSettings.DEFAULT, Runnable::run);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static Caller caller(String name, @Nullable String tenant) {
    return new Caller(name, Caller.Kind.USER, Role.ADMINISTRATOR, tenant);
  }

  /** The bans of another node. */
  public Bans open() {
    Bans bans = Bans.open(new Bans.Dependencies(metadata, this::write, () -> now));
    opened.add(bans);
    return bans;
  }

  private CompletableFuture<WriteResult> write(List<Change> batch) {
    Function<List<Change>, CompletableFuture<WriteResult>> replaced = writer;
    return replaced == null ? metadata.write(batch) : replaced.apply(batch);
  }

  public Instant now() {
    return now;
  }

  public void advance(Duration time) {
    now = now.plus(time);
  }

  static Ban.Draft draft(BanKind kind, String value, @Nullable Instant until) {
    return new Ban.Draft(kind, value, null, null, "", null, until);
  }

  static <T> T get(CompletableFuture<T> future) {
    try {
      return future.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException | InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  /** Waits until the future fails with this kind; returns the message. */
  static String fails(CompletableFuture<?> future, BanException.Kind kind) {
    try {
      future.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      assertThat(e).hasCauseInstanceOf(BanException.class);
      BanException failure = (BanException) Objects.requireNonNull(e.getCause());
      assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(kind);
      return String.valueOf(failure.getMessage());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("did not fail with " + kind);
  }

  @Override
  public void close() {
    opened.forEach(Bans::close);
    metadata.close();
  }
}
