package io.fjordmq.broker.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SoloConsensus;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataSettings;
import io.fjordmq.cluster.metadata.MetadataStorage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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

/** A metadata group with one replica, and the traces of nodes that follow it. */
public final class TestTraces implements AutoCloseable {
  public static final Caller ANN = caller("ann", null);
  private static final NodeId NODE = new NodeId("n");

  final MetadataGroup metadata;
  private final Path folder;
  private final TraceSettings settings;
  private final List<Traces> opened = new ArrayList<>();
  private volatile Instant now = Instant.parse("2030-01-01T00:00:00Z");
  volatile boolean hasFreeDiskSpace = true;

  private static final class NoStorage implements MetadataStorage {
    @Override
    public byte @Nullable [] load() {
      return null;
    }

    @Override
    public void save(byte[] checkpoint) {}
  }

  /**
   * @param folder where each node has a folder
   */
  public TestTraces(Path folder, TraceSettings settings) {
    this.folder = folder;
    this.settings = settings;
    SoloConsensus host = SoloConsensus.withLogs(NODE, new HashMap<>(), false);
    MetadataGroup.bootstrap(host, ReplicaSet.ofVoters(NODE));
    try {
      metadata = MetadataGroup.open(host, new NoStorage(), MetadataSettings.DEFAULT, Runnable::run);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static Caller caller(String name, @Nullable String tenant) {
    return new Caller(name, Caller.Kind.USER, Role.OPERATOR, tenant);
  }

  /** Opens the traces of a node. */
  public Traces open(String node) {
    Traces traces =
        Traces.open(
            new Traces.Dependencies(
                metadata,
                metadata::write,
                () -> now,
                settings,
                node,
                folder.resolve(node),
                () -> hasFreeDiskSpace));
    opened.add(traces);
    return traces;
  }

  public Instant now() {
    return now;
  }

  public void advance(Duration time) {
    now = now.plus(time);
  }

  static Trace.Draft draft(String name, TraceType type, String value) {
    return new Trace.Draft(name, type, value, null, PayloadEncoding.HIDDEN, null, null);
  }

  /** Waits until the node has handled all changes and written all lines; returns the file. */
  static String log(Traces traces, String name) {
    Trace trace =
        traces.list(ANN).stream()
            .filter(listed -> listed.name().equals(name))
            .findFirst()
            .orElseThrow();
    TraceFiles.Part part =
        get(traces.thread().read(() -> traces.files().read(trace.fileName(), 0, 1 << 20)));
    return new String(part.bytes(), StandardCharsets.UTF_8);
  }

  static <T> T get(CompletableFuture<T> future) {
    try {
      return future.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException | InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  /** Waits until the future fails with this kind; returns the message. */
  static String fails(CompletableFuture<?> future, TraceException.Kind kind) {
    try {
      future.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      assertThat(e).hasCauseInstanceOf(TraceException.class);
      TraceException failure = (TraceException) Objects.requireNonNull(e.getCause());
      assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(kind);
      return String.valueOf(failure.getMessage());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("did not fail with " + kind);
  }

  @Override
  public void close() throws InterruptedException {
    for (Traces traces : opened) {
      traces.close();
    }
    metadata.close();
  }
}
