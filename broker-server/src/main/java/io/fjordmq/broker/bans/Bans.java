package io.fjordmq.broker.bans;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.records.RecordException;
import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.broker.records.RecordType;
import io.fjordmq.broker.records.ReplicatedRecords;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataClient;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The bans of the cluster. A caller that is bound to a tenant sees and changes only bans of that
 * tenant; whether its role permits an operation is checked elsewhere.
 *
 * <p>Thread-safe; nothing blocks. Futures fail with {@link RecordException} and complete on a
 * thread of the metadata group, which must not be blocked.
 */
public final class Bans implements AutoCloseable {
  private static final long SWEEP_SECONDS = 60;

  private static final RecordType<Ban> TYPE =
      new RecordType<>(StoredBan.PREFIX, "this ban", StoredBan::decode);

  private static final Comparator<Ban> ORDER =
      Comparator.comparing(Ban::kind)
          .thenComparing(Ban::value)
          .thenComparing(ban -> Objects.requireNonNullElse(ban.tenant(), ""));

  private final ReplicatedRecords<Ban> records;
  private final InstantSource clock;
  private final BanList list;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "bans"));
  private volatile @Nullable DisconnectSweep enforcement;

  /**
   * The parts of the node that bans need.
   *
   * @param clock cluster time
   */
  public record Dependencies(MetadataClient metadata, InstantSource clock) {}

  /** Reads the bans and follows their changes. */
  public static Bans open(Dependencies dependencies) {
    Bans bans = new Bans(dependencies);
    bans.records.follow(Bans::check, "this node does not enforce the ban", bans::onChanged);
    bans.thread.scheduleWithFixedDelay(
        bans::removeExpired, SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
    return bans;
  }

  private Bans(Dependencies dependencies) {
    records = new ReplicatedRecords<>(dependencies.metadata, TYPE);
    clock = dependencies.clock;
    list = new BanList(clock);
  }

  private static Ban check(Ban ban) {
    BanRules.canonical(ban.kind(), ban.value());
    return ban;
  }

  private void onChanged(Map<String, Ban> bans, boolean written) {
    list.replace(new BanTable(bans.values()));
    DisconnectSweep current = enforcement;
    if (written && current != null) {
      current.request();
    }
  }

  /** The bans in effect, for checks of clients. */
  public BanList list() {
    return list;
  }

  /**
   * Starts disconnecting connected clients when they are banned. Called once, before clients
   * connect.
   */
  public DisconnectSweep enforceOn(DisconnectSearch clients) {
    DisconnectSweep started = new DisconnectSweep(thread, clients);
    enforcement = started;
    return started;
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
    } catch (RecordException e) {
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
    } catch (RecordException e) {
      return CompletableFuture.failedFuture(e);
    }
    String key = StoredBan.key(ban);
    return records
        .read()
        .thenCompose(
            view -> {
              long replaced = versionToReplace(view, key, now);
              return records.write(Change.put(key, StoredBan.encode(ban), replaced));
            })
        .thenApply(written -> ban);
  }

  /** Returns the version of the expired ban that the new ban replaces, or ABSENT. */
  private long versionToReplace(MetadataView view, String key, Instant now) {
    MetadataRecord record = view.get(key);
    if (record != null) {
      if (!records.decode(record).isExpired(now)) {
        throw new RecordException(
            Kind.EXISTS, "this ban already exists; delete it before you create it again");
      }
      return record.version();
    }
    if (records.count(view) >= BanRules.MAX_BANS) {
      throw new RecordException(
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
    } catch (RecordException e) {
      return CompletableFuture.failedFuture(
          new RecordException(Kind.NOT_FOUND, "the ban does not exist: " + e.getMessage()));
    }
    try {
      key = StoredBan.key(target.kind(), value, BanRules.tenantFor(caller, target.tenant()));
    } catch (RecordException e) {
      return CompletableFuture.failedFuture(e);
    }
    return records
        .read()
        .thenCompose(
            view -> {
              MetadataRecord record = view.get(key);
              if (record == null || records.decode(record).isExpired(clock.instant())) {
                throw new RecordException(Kind.NOT_FOUND, "the ban does not exist");
              }
              return records.write(Change.remove(key, record.version()));
            });
  }

  /** Removes all bans that the caller may see. Fails with UNAVAILABLE. */
  public CompletableFuture<Void> removeAll(Caller caller) {
    return records.removeAll(ban -> caller.mayAccess(ban.tenant()));
  }

  /** Expired bans have no effect, but occupy memory and count toward the limit. */
  void removeExpired() {
    Instant now = clock.instant();
    records.removeObsolete(ban -> ban.isExpired(now));
  }

  @Override
  public void close() {
    records.close();
    thread.shutdownNow();
  }
}
