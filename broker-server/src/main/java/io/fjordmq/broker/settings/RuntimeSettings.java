package io.fjordmq.broker.settings;

import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.config.ConfigEntry;
import io.fjordmq.broker.config.ConfigException;
import io.fjordmq.broker.config.ConfigLoader.LoadedConfig;
import io.fjordmq.broker.config.ConfigSources;
import io.fjordmq.broker.settings.SettingsException.Kind;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataClient;
import io.fjordmq.cluster.metadata.MetadataClientException;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataListener;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataUpdate;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.OperationException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The configuration of this node, including the values that operators set for the whole cluster
 * through the API. Every node follows these values, and a starting node knows them before it opens
 * its listeners.
 *
 * <p>Thread-safe; nothing blocks. Futures fail with {@link SettingsException} and complete on a
 * thread of the metadata group, which must not be blocked.
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

  private final ConfigSources sources;
  private final MetadataGroup metadata;
  private final MetadataClient client;
  private final List<Consumer<BrokerConfig>> listeners = new CopyOnWriteArrayList<>();
  private volatile State state;

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
   * @param writer writes to the metadata through its leader, on any node
   */
  public record Dependencies(
      LoadedConfig loaded,
      MetadataGroup metadata,
      Function<List<Change>, CompletableFuture<WriteResult>> writer) {}

  /** Reads the values set through the API and follows their changes. */
  public static RuntimeSettings open(Dependencies dependencies) {
    RuntimeSettings settings = new RuntimeSettings(dependencies);
    dependencies.metadata.watch(settings);
    return settings;
  }

  private RuntimeSettings(Dependencies dependencies) {
    sources = dependencies.loaded.sources();
    metadata = dependencies.metadata;
    client = new MetadataClient(metadata, dependencies.writer);
    state = new State(dependencies.loaded.config(), Map.of(), Map.of());
  }

  /** The configuration in effect. Only keys that can change while nodes run ever change. */
  public BrokerConfig current() {
    return state.config;
  }

  /**
   * Calls a listener with the current configuration, and again after each change, on the thread of
   * the metadata. It must not block or throw.
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
          new SettingsException(
              Kind.INVALID,
              "values must contain at most %d keys, not %d"
                  .formatted(MAX_OVERRIDES, values.size())));
    }
    for (Map.Entry<String, String> value : values.entrySet()) {
      if (value.getKey().length() > MAX_KEY_LENGTH
          || value.getValue().length() > MAX_VALUE_LENGTH) {
        return CompletableFuture.failedFuture(
            new SettingsException(
                Kind.INVALID,
                "values must have at most %d characters, and their keys at most %d"
                    .formatted(MAX_VALUE_LENGTH, MAX_KEY_LENGTH)));
      }
    }
    // Checks take too long for the thread of the metadata.
    return read()
        .thenComposeAsync(
            record -> {
              Map<String, String> before = decode(record);
              Map<String, String> all = new TreeMap<>(before);
              all.putAll(values);
              List<String> problems = sources.problems(values, before, all);
              if (!problems.isEmpty()) {
                throw new SettingsException(Kind.INVALID, String.join("; ", problems));
              }
              if (all.size() > MAX_OVERRIDES) {
                throw new SettingsException(
                    Kind.FULL,
                    "at most %d values can be set; remove some first".formatted(MAX_OVERRIDES));
              }
              if (StoredOverrides.encode(all).length > MAX_BYTES) {
                throw new SettingsException(
                    Kind.FULL,
                    "the keys and values that are set must have at most %d bytes; remove some first"
                        .formatted(MAX_BYTES));
              }
              return write(record, all).thenApply(done -> entries(values.keySet()));
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
    return read()
        .thenComposeAsync(
            record -> {
              Map<String, String> before = decode(record);
              Map<String, String> all = new TreeMap<>(before);
              if (all.remove(key) == null) {
                throw new SettingsException(
                    Kind.NOT_FOUND, "no value of '" + excerpt(key) + "' was set through the API");
              }
              List<String> problems = sources.problems(Map.of(), before, all);
              if (!problems.isEmpty()) {
                throw new SettingsException(Kind.INVALID, String.join("; ", problems));
              }
              return write(record, all).thenApply(done -> entries(Set.of(key)));
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
          apply(record == null ? Map.of() : StoredOverrides.decode(record.value()));
        } catch (RuntimeException e) { // would halt the metadata replica
          LOG.error(
              "Cannot apply the configuration set through the API; the previous values stay in"
                  + " effect on this node: {}",
              e.getMessage());
        }
      }
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

  /** Other nodes may have files with which a value is valid that does not fit this node's file. */
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

  /** One component that fails must not keep the others from changing. */
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

  private CompletableFuture<Found> read() {
    return client
        .read()
        .thenApply(view -> new Found(view.get(StoredOverrides.KEY)))
        .exceptionally(RuntimeSettings::rethrow);
  }

  /** Futures cannot carry null. */
  private record Found(@Nullable MetadataRecord record) {}

  private static Map<String, String> decode(Found found) {
    MetadataRecord record = found.record;
    try {
      return record == null ? Map.of() : StoredOverrides.decode(record.value());
    } catch (MalformedBytesException e) {
      throw new SettingsException(
          Kind.UNAVAILABLE,
          "this node cannot read the stored configuration; send the request to a node with a newer"
              + " version: "
              + e.getMessage());
    }
  }

  private CompletableFuture<Void> write(Found found, Map<String, String> all) {
    MetadataRecord record = found.record;
    long version = record == null ? Change.ABSENT : record.version();
    return client
        .write(List.of(Change.put(StoredOverrides.KEY, StoredOverrides.encode(all), version)))
        .exceptionally(RuntimeSettings::rethrow);
  }

  private static <T> T rethrow(Throwable failure) {
    Throwable cause = OperationException.unwrap(failure);
    if (!(cause instanceof MetadataClientException known)) {
      throw new CompletionException(cause);
    }
    throw switch (known.kind()) {
      case CHANGED ->
          new SettingsException(
              Kind.CHANGED,
              "another request changed the configuration at the same time; try again");
      case UNAVAILABLE ->
          new SettingsException(Kind.UNAVAILABLE, String.valueOf(known.getMessage()));
    };
  }

  @Override
  public void close() {
    metadata.unwatch(this);
  }
}
