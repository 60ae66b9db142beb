package io.fjordmq.broker.bans;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.bans.BanException.Kind;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataClient;
import io.fjordmq.cluster.metadata.MetadataClientException;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.OperationException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bans of the cluster. A caller that is bound to a tenant sees and changes only bans of that
 * tenant; whether its role permits an operation is checked elsewhere.
 *
 * <p>Thread-safe; nothing blocks. Futures fail with {@link BanException} and complete on a thread
 * of the metadata group, which must not be blocked.
 */
public final class Bans implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Bans.class);
  private static final long SWEEP_SECONDS = 60;

  /** Bounds the size of a write to the metadata. */
  private static final int MAX_BATCH = 500;

  private static final Comparator<Ban> ORDER =
      Comparator.comparing(Ban::kind)
          .thenComparing(Ban::value)
          .thenComparing(ban -> Objects.requireNonNullElse(ban.tenant(), ""));

  private final MetadataGroup metadata;
  private final MetadataClient client;
  private final InstantSource clock;
  private final BanList list;
  private final BanDirectory directory;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "bans"));
  private volatile @Nullable BanEnforcement enforcement;

  /**
   * The parts of the node that bans need.
   *
   * @param writer writes to the metadata through its leader, on any node
   * @param clock cluster time
   */
  public record Dependencies(
      MetadataGroup metadata,
      Function<List<Change>, CompletableFuture<WriteResult>> writer,
      InstantSource clock) {}

  /** Reads the bans and follows their changes. */
  public static Bans open(Dependencies dependencies) {
    Bans bans = new Bans(dependencies);
    dependencies.metadata.watch(bans.directory);
    bans.thread.scheduleWithFixedDelay(
        bans::removeExpiredIfLeader, SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
    return bans;
  }

  private Bans(Dependencies dependencies) {
    metadata = dependencies.metadata;
    client = new MetadataClient(metadata, dependencies.writer);
    clock = dependencies.clock;
    list = new BanList(clock);
    directory = new BanDirectory(list, this::enforce);
  }

  /** The bans in effect, for checks of clients. */
  public BanList list() {
    return list;
  }

  /**
   * From now on, disconnects connected clients when they are banned. Called once, before clients
   * connect.
   */
  public BanEnforcement enforceOn(BannedClients clients) {
    BanEnforcement started = new BanEnforcement(thread, clients);
    enforcement = started;
    return started;
  }

  private void enforce() {
    BanEnforcement current = enforcement;
    if (current != null) {
      current.request();
    }
  }

  /** Returns the bans in effect that the caller may see, ordered by kind and value. */
  public List<Ban> list(Caller caller) {
    Instant now = clock.instant();
    return list.table().all().stream()
        .filter(ban -> caller.mayAccess(ban.tenant()) && !ban.isExpired(now))
        .sorted(ORDER)
        .toList();
  }

  /** Returns whether the ban has this value, which may be in another notation. */
  public static boolean isSameValue(Ban ban, String value) {
    try {
      return ban.value().equals(BanRules.canonical(ban.kind(), value));
    } catch (BanException e) {
      return false;
    }
  }

  /**
   * Creates a ban. Every node disconnects the clients that match it. Fails with INVALID, EXISTS,
   * FULL, CHANGED or UNAVAILABLE.
   */
  public CompletableFuture<Ban> add(Caller caller, Ban.Draft draft) {
    Instant now = clock.instant();
    Ban ban;
    try {
      ban =
          new Ban(
              draft.kind(),
              BanRules.canonical(draft.kind(), draft.value()),
              BanRules.tenantFor(caller, draft.tenant()),
              BanRules.text("by", Objects.requireNonNullElse(draft.by(), caller.name())),
              BanRules.text("reason", draft.reason()),
              BanRules.creation(draft.at(), now),
              BanRules.end(draft.until(), now));
    } catch (BanException e) {
      return CompletableFuture.failedFuture(e);
    }
    String key = StoredBan.key(ban);
    return read()
        .thenCompose(
            view -> {
              long replaced = versionToReplace(view, key, now);
              return write(List.of(Change.put(key, StoredBan.encode(ban), replaced)));
            })
        .thenApply(written -> ban);
  }

  /** Returns the version of the expired ban that the new ban replaces, or ABSENT. */
  private static long versionToReplace(MetadataView view, String key, Instant now) {
    MetadataRecord record = view.get(key);
    if (record != null) {
      if (!decode(record).isExpired(now)) {
        throw new BanException(
            Kind.EXISTS, "this ban already exists; delete it before you create it again");
      }
      return record.version();
    }
    if (view.withPrefix(StoredBan.PREFIX).size() >= BanRules.MAX_BANS) {
      throw new BanException(
          Kind.FULL,
          "the cluster has %d bans, which is the maximum; ban a network, or delete some bans first"
              .formatted(BanRules.MAX_BANS));
    }
    return Change.ABSENT;
  }

  /**
   * Removes a ban. Fails with INVALID if the caller must not name the tenant, with NOT_FOUND,
   * CHANGED or UNAVAILABLE.
   */
  public CompletableFuture<Void> remove(Caller caller, Ban.Target target) {
    String value;
    String key;
    try {
      value = BanRules.canonical(target.kind(), target.value());
    } catch (BanException e) {
      return CompletableFuture.failedFuture(
          new BanException(Kind.NOT_FOUND, "the ban does not exist: " + e.getMessage()));
    }
    try {
      key = StoredBan.key(target.kind(), value, BanRules.tenantFor(caller, target.tenant()));
    } catch (BanException e) {
      return CompletableFuture.failedFuture(e);
    }
    return read()
        .thenCompose(
            view -> {
              MetadataRecord record = view.get(key);
              if (record == null || decode(record).isExpired(clock.instant())) {
                throw new BanException(Kind.NOT_FOUND, "the ban does not exist");
              }
              return write(List.of(Change.remove(key, record.version())));
            });
  }

  /** Removes all bans that the caller may see. Fails with UNAVAILABLE. */
  public CompletableFuture<Void> removeAll(Caller caller) {
    return read()
        .thenCompose(
            view ->
                removeNext(
                    records(view, ban -> caller.mayAccess(ban.tenant())).stream()
                        .map(record -> Change.remove(record.key(), Change.ANY))
                        .toList()));
  }

  private CompletableFuture<Void> removeNext(List<Change> removals) {
    if (removals.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    int size = Math.min(MAX_BATCH, removals.size());
    return write(removals.subList(0, size))
        .thenCompose(written -> removeNext(removals.subList(size, removals.size())));
  }

  /** Expired bans have no effect, but occupy memory and count toward the limit. */
  void removeExpiredIfLeader() {
    if (!metadata.leadership().leading()) {
      return;
    }
    try {
      Instant now = clock.instant();
      List<Change> removals =
          records(metadata.view(), ban -> ban.isExpired(now)).stream()
              .limit(MAX_BATCH)
              .map(record -> Change.remove(record.key(), record.version()))
              .toList();
      if (!removals.isEmpty()) {
        client
            .write(removals)
            .exceptionally(
                failure -> {
                  LOG.debug("Cannot remove expired bans; retrying later", failure);
                  return null;
                });
      }
    } catch (RuntimeException e) { // would end the schedule
      LOG.error("Cannot remove expired bans; please report this bug", e);
    }
  }

  private static List<MetadataRecord> records(MetadataView view, Predicate<Ban> included) {
    List<MetadataRecord> found = new ArrayList<>();
    for (MetadataRecord record : view.withPrefix(StoredBan.PREFIX)) {
      try {
        if (included.test(StoredBan.decode(record.value()))) {
          found.add(record);
        }
      } catch (MalformedBytesException e) {
        LOG.debug("Skipped a ban that this node cannot read record={}", record.key());
      }
    }
    return found;
  }

  private static Ban decode(MetadataRecord record) {
    try {
      return StoredBan.decode(record.value());
    } catch (MalformedBytesException e) {
      throw new BanException(Kind.UNAVAILABLE, "this node cannot read the ban: " + e.getMessage());
    }
  }

  private CompletableFuture<MetadataView> read() {
    return client.read().exceptionally(Bans::rethrow);
  }

  private CompletableFuture<Void> write(List<Change> batch) {
    return client.write(batch).exceptionally(Bans::rethrow);
  }

  private static <T> T rethrow(Throwable failure) {
    Throwable cause = OperationException.unwrap(failure);
    if (!(cause instanceof MetadataClientException known)) {
      throw new CompletionException(cause);
    }
    throw switch (known.kind()) {
      case CHANGED ->
          new BanException(
              Kind.CHANGED, "another request changed this ban at the same time; try again");
      case UNAVAILABLE -> new BanException(Kind.UNAVAILABLE, String.valueOf(known.getMessage()));
    };
  }

  @Override
  public void close() {
    metadata.unwatch(directory);
    thread.shutdownNow();
  }
}
