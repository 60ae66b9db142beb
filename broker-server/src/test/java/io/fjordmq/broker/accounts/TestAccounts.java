package io.fjordmq.broker.accounts;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SoloConsensus;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataSettings;
import io.fjordmq.cluster.metadata.MetadataStorage;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.testing.RecordBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A metadata group with one replica, and the accounts of nodes that follow it. */
public final class TestAccounts implements AutoCloseable {
  public static final Caller LOCAL =
      new Caller("local", Caller.Kind.LOCAL, Role.ADMINISTRATOR, null);
  static final String ADDRESS = "192.0.2.1";
  private static final NodeId NODE = new NodeId("n");

  final MetadataGroup metadata;
  final Map<AccountObserver.Result, Integer> results = new EnumMap<>(AccountObserver.Result.class);
  private final SoloConsensus host = SoloConsensus.withLogs(NODE, new HashMap<>(), false);
  private final List<Accounts> opened = new ArrayList<>();
  private volatile Instant now = Instant.parse("2030-01-01T00:00:00Z");

  /** Replaces the way in which accounts write; null for the usual one. */
  volatile @Nullable Function<List<Change>, CompletableFuture<WriteResult>> writer;

  private static final class NoStorage implements MetadataStorage {
    @Override
    public byte @Nullable [] load() {
      return null;
    }

    @Override
    public void save(byte[] checkpoint) {}
  }

  public TestAccounts() {
    MetadataGroup.bootstrap(host, ReplicaSet.ofVoters(NODE));
    try {
      metadata = MetadataGroup.open(host, new NoStorage(), MetadataSettings.DEFAULT, Runnable::run);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static RecordBuilder<AccountSettings> settings() {
    return RecordBuilder.from(AccountSettings.DEFAULTS);
  }

  /** The accounts of another node. */
  public Accounts open() {
    return open(AccountSettings.DEFAULTS);
  }

  public Accounts open(AccountSettings settings) {
    AccountObserver observer =
        new AccountObserver() {
          @Override
          public void onLogin(Result result) {
            synchronized (results) {
              results.merge(result, 1, Integer::sum);
            }
          }
        };
    Accounts accounts =
        Accounts.open(
            settings,
            new Accounts.Dependencies(
                metadata, this::write, () -> now, Duration.ofSeconds(60), observer));
    opened.add(accounts);
    return accounts;
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

  /** The value of a record of the metadata. */
  byte[] value(String key) {
    return Objects.requireNonNull(metadata.view().get(key), key).value();
  }

  /** An administrator with this password. */
  static User.Draft administrator(String name, String password) {
    return new User.Draft(name, password, Role.ADMINISTRATOR, null, "");
  }

  static ApiKey.Draft key(String name, Role role) {
    return new ApiKey.Draft(name, role, null, "", true, null);
  }

  public static <T> T get(CompletableFuture<T> future) {
    try {
      return future.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException | InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  /** Waits until the future fails with this kind; returns the message. */
  static String fails(CompletableFuture<?> future, AccountException.Kind kind) {
    try {
      future.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      assertThat(e).hasCauseInstanceOf(AccountException.class);
      AccountException failure = (AccountException) Objects.requireNonNull(e.getCause());
      assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(kind);
      return String.valueOf(failure.getMessage());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("did not fail with " + kind);
  }

  @Override
  public void close() {
    opened.forEach(Accounts::close);
    metadata.close();
  }
}
