package io.fjordmq.broker.settings;

import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.config.ConfigEntry;
import io.fjordmq.broker.config.ConfigException;
import io.fjordmq.broker.config.ConfigLoader.LoadedConfig;
import io.fjordmq.broker.config.ConfigSources;
import io.fjordmq.broker.records.RecordException;
import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.broker.records.RecordType;
import io.fjordmq.broker.records.ReplicatedRecords;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataClient;
import io.fjordmq.cluster.metadata.MetadataListener;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataUpdate;
import io.fjordmq.cluster.metadata.MetadataView;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The configuration of this node, including the values that operators set for the whole cluster
 * through the API. Every node follows these values, and a starting node knows them before it opens
 * its listeners.
 *
 * <p>Thread-safe; nothing blocks unless stated otherwise. Futures fail with {@link RecordException}
 * and complete on a thread that must not be blocked.
 */
public final class RuntimeSettings implements MetadataListener, AutoCloseable {
  private static final int MAX_SHOWN = 100;
  private static final Logger LOG = LoggerFactory.getLogger(RuntimeSettings.class);

  /** Bounds the record in the metadata. */
  static final int MAX_OVERRIDES = 1_000;

  /** Well below the maximum size of a write to the metadata. */
  private static final int MAX_BYTES = 512 << 10;

  private static final int MAX_VALUE_LENGTH = 256;
  private static final int MAX_KEY_LENGTH = 512;

  private static final RecordType<Map<String, String>> TYPE =
      new RecordType<>(StoredOverrides.KEY, "the stored configuration", StoredOverrides::decode);

  private final ConfigSources sources;
  private final MetadataClient metadata;
  private final ReplicatedRecords<Map<String, String>> records;
  private final List<Consumer<BrokerConfig>> listeners = new CopyOnWriteArrayList<>();
  private final Executor thread;
  private final Object changesLock = new Object();
  private volatile State state;

  // Guarded by changesLock, which is held only for a short time.
  private Map<String, String> latest = Map.of();
  private CompletableFuture<Void> applied = CompletableFuture.completedFuture(null);

  /**
   * The values in effect.
   *
   * @param stored all values set through the API
   * @param accepted those that are valid on this node
   */
  private record State(
      BrokerConfig config, Map<String, String> stored, Map<String, String> accepted) {}

  /**
   * The parts of the node that the configuration needs.
   *
   * @param loaded the configuration of this process, without the values set through the API
   * @param thread applies changes, one after the other: with many tenants, this takes too long for
   *     the thread of the metadata
   */
  public record Dependencies(LoadedConfig loaded, MetadataClient metadata, Executor thread) {}

  /** Reads and applies the values set through the API, and follows their changes. Blocks. */
  public static RuntimeSettings open(Dependencies dependencies) {
    RuntimeSettings settings = new RuntimeSettings(dependencies);
    dependencies.metadata.watch(settings);
    settings.applied().join();
    return settings;
  }

  private RuntimeSettings(Dependencies dependencies) {
    sources = dependencies.loaded.sources();
    metadata = dependencies.metadata;
    records = new ReplicatedRecords<>(metadata, TYPE);
    thread = dependencies.thread;
    state = new State(dependencies.loaded.config(), Map.of(), Map.of());
  }

  /** The configuration in effect. Only the values of reloadable keys change. */
  public BrokerConfig current() {
    return state.config;
  }

  /**
   * Calls a listener with the current configuration, and again after each change, on the thread
   * that applies changes. It must not block or throw.
   */
  public synchronized void watch(Consumer<BrokerConfig> listener) {
    listeners.add(listener);
    listener.accept(state.config);
  }

  /** Returns the effective value of every key, in the order of conf/standalone.yml. */
  public List<ConfigEntry> entries() {
    State current = state;
    return entries(current.accepted, current.stored);
  }

  private List<ConfigEntry> entries(Map<String, String> accepted, Map<String, String> stored) {
    try {
      return sources.entries(accepted, stored);
    } catch (ConfigException e) {
      throw new IllegalStateException("accepted values must be valid", e);
    }
  }

  /**
   * Sets values for the whole cluster, all of them or none. Fails with INVALID, FULL, CHANGED or
   * UNAVAILABLE. When the future completes, this node has applied the values; the other nodes
   * follow.
   *
   * @param values by key, in the notation of the configuration file; not empty
   * @return the entries of these keys on this node
   */
  public CompletableFuture<List<ConfigEntry>> set(Map<String, String> values) {
    if (values.size() > MAX_OVERRIDES) {
      return CompletableFuture.failedFuture(
          new RecordException(
              Kind.INVALID,
              "values must contain at most %d keys, not %d"
                  .formatted(MAX_OVERRIDES, values.size())));
    }
    for (Map.Entry<String, String> value : values.entrySet()) {
      if (value.getKey().length() > MAX_KEY_LENGTH
          || value.getValue().length() > MAX_VALUE_LENGTH) {
        return CompletableFuture.failedFuture(
            new RecordException(
                Kind.INVALID,
                "values must have at most %d characters, and their keys at most %d"
                    .formatted(MAX_VALUE_LENGTH, MAX_KEY_LENGTH)));
      }
    }
    // Checks take too long for the thread of the metadata.
    return records
        .read()
        .thenComposeAsync(
            view -> {
              MetadataRecord record = view.get(StoredOverrides.KEY);
              Map<String, String> before = record == null ? Map.of() : records.decode(record);
              Map<String, String> all = new TreeMap<>(before);
              all.putAll(values);
              List<String> problems = sources.problems(values, before, all);
              if (!problems.isEmpty()) {
                throw new RecordException(Kind.INVALID, String.join("; ", problems));
              }
              if (all.size() > MAX_OVERRIDES) {
                throw new RecordException(
                    Kind.FULL,
                    "at most %d values can be set; remove some first".formatted(MAX_OVERRIDES));
              }
              if (StoredOverrides.encode(all).length > MAX_BYTES) {
                throw new RecordException(
                    Kind.FULL,
                    "the keys and values that are set must have at most %d bytes; remove some first"
                        .formatted(MAX_BYTES));
              }
              return write(record, all)
                  .thenCompose(done -> applied())
                  .thenApply(done -> entries(values.keySet()));
            });
  }

  private static String excerpt(String key) {
    return key.length() <= MAX_SHOWN ? key : key.substring(0, MAX_SHOWN) + "…";
  }

  /**
   * Removes the value of a key that was set through the API, so that each node uses its own again.
   * Fails with NOT_FOUND, INVALID if the other values are invalid without this one, CHANGED or
   * UNAVAILABLE.
   *
   * @return the entries of the key on this node
   */
  public CompletableFuture<List<ConfigEntry>> remove(String key) {
    return records
        .read()
        .thenComposeAsync(
            view -> {
              MetadataRecord record = view.get(StoredOverrides.KEY);
              Map<String, String> before = record == null ? Map.of() : records.decode(record);
              Map<String, String> all = new TreeMap<>(before);
              if (all.remove(key) == null) {
                throw new RecordException(
                    Kind.NOT_FOUND, "no value of '" + excerpt(key) + "' was set through the API");
              }
              List<String> problems = sources.problems(Map.of(), before, all);
              if (!problems.isEmpty()) {
                throw new RecordException(Kind.INVALID, String.join("; ", problems));
              }
              return write(record, all)
                  .thenCompose(done -> applied())
                  .thenApply(done -> entries(Set.of(key)));
            });
  }

  private List<ConfigEntry> entries(Set<String> keys) {
    return entries().stream().filter(entry -> keys.contains(entry.key())).toList();
  }

  @Override
  public void onChanged(MetadataView view, List<MetadataUpdate> updates) {
    for (MetadataUpdate update : updates) {
      if (update.key().equals(StoredOverrides.KEY)) {
        MetadataRecord record = update.record();
        try {
          applyLater(record == null ? Map.of() : StoredOverrides.decode(record.value()));
        } catch (RuntimeException e) { // would halt the metadata replica
          logFailure(e);
        }
      }
    }
  }

  private static void logFailure(RuntimeException failure) {
    LOG.error(
        "Cannot apply the configuration set through the API; the previous values stay in effect on"
            + " this node: {}",
        failure.getMessage());
  }

  private void applyLater(Map<String, String> stored) {
    synchronized (changesLock) {
      latest = stored;
      applied =
          applied.thenRunAsync(
              () -> {
                try {
                  applyIfLatest(stored);
                } catch (RuntimeException e) {
                  logFailure(e);
                }
              },
              thread);
    }
  }

  /** Does nothing if other values followed in the meantime, which will be applied next. */
  private void applyIfLatest(Map<String, String> stored) {
    synchronized (changesLock) {
      if (latest != stored) {
        return;
      }
    }
    apply(stored);
  }

  /** Completes when this node has applied all changes that it knows of now. Never fails. */
  public CompletableFuture<Void> applied() {
    synchronized (changesLock) {
      return applied;
    }
  }

  private synchronized void apply(Map<String, String> stored) {
    Map<String, String> accepted = stored;
    BrokerConfig config;
    try {
      config = sources.resolve(stored);
    } catch (ConfigException e) {
      accepted = sources.valid(stored);
      config = resolveValid(accepted);
      logIgnored(stored, accepted, e);
    }
    state = new State(config, stored, Map.copyOf(accepted));
    LOG.info("Applied the configuration set through the API keys={}", accepted.keySet());
    for (Consumer<BrokerConfig> listener : listeners) {
      notify(listener, config);
    }
  }

  /** A value can be valid in combination with another node's file but not with this node's file. */
  private static void logIgnored(
      Map<String, String> stored, Map<String, String> accepted, ConfigException reason) {
    Set<String> ignored = new TreeSet<>(stored.keySet());
    ignored.removeAll(accepted.keySet());
    LOG.error(
        "Ignored values set through the API, because they are invalid on this node; remove them, or"
            + " change the configuration of this node: {} keys={}",
        String.join("; ", reason.problems()),
        ignored);
  }

  /** The failure of one component must not prevent changes to the others. */
  private static void notify(Consumer<BrokerConfig> listener, BrokerConfig config) {
    try {
      listener.accept(config);
    } catch (RuntimeException e) { // would halt the metadata replica
      LOG.error("Cannot apply the changed configuration to a component; please report this bug", e);
    }
  }

  private BrokerConfig resolveValid(Map<String, String> accepted) {
    try {
      return sources.resolve(accepted);
    } catch (ConfigException e) {
      throw new IllegalStateException("the values were valid before", e);
    }
  }

  private CompletableFuture<Void> write(@Nullable MetadataRecord record, Map<String, String> all) {
    long version = record == null ? Change.ABSENT : record.version();
    return records.write(Change.put(StoredOverrides.KEY, StoredOverrides.encode(all), version));
  }

  @Override
  public void close() {
    metadata.unwatch(this);
  }
}
