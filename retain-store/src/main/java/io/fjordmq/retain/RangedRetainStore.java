package io.fjordmq.retain;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageCodec;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The retained messages on the range engine. {@link #spec} describes the store to the engine before
 * a client exists; the constructor takes the client once the engine runs.
 */
public final class RangedRetainStore implements RetainStore {
  private static final String NAME = "retain";

  /** Maximum removals per log entry, which bounds the size of the entry's write. */
  private static final int MAX_REMOVALS = 256;

  private final RetainSettings settings;
  private final RetainQuota quota;
  private final RangeClient client;
  private final Replicas replicas;
  private final InstantSource clock;

  /**
   * The replicas of this node. Created before the engine, which adds the replicas as it opens them.
   */
  public static final class Replicas {
    private final Map<RangeId, RetainCoprocessor> opened = new ConcurrentHashMap<>();

    private Coprocessor open(RangeId range, IndexMemory space) {
      RetainCoprocessor replica = new RetainCoprocessor(space);
      opened.put(range, replica);
      return replica;
    }

    private RetainUsage.Used used(String tenant) {
      RetainUsage.Used sum = RetainUsage.Used.NOTHING;
      for (RetainCoprocessor replica : opened.values()) {
        RetainUsage.Used part = replica.used(tenant);
        sum = sum.plus(part.messages(), part.bytes());
      }
      return sum;
    }

    long count() {
      return opened.values().stream().mapToLong(RetainCoprocessor::count).sum();
    }
  }

  /** Describes this store to the range engine. */
  public static StoreSpec spec(RetainSettings settings, Replicas replicas) {
    IndexMemory space = new IndexMemory(settings.maxIndexBytes());
    return new StoreSpec(
        NAME,
        RetainKeys.evenSplits(settings.initialRanges()),
        range -> replicas.open(range, space),
        (range, effects) -> {
          throw new IllegalStateException("the retain store has no effects, got " + effects);
        });
  }

  /** Creates a store without tenant quotas. */
  public RangedRetainStore(
      RetainSettings settings, RangeClient client, Replicas replicas, InstantSource clock) {
    this(settings, RetainQuota.NONE, client, replicas, clock);
  }

  /**
   * Creates a store.
   *
   * @param quota tenant limits, checked against counts that do not include messages in flight
   * @param client the client for the store that {@link #spec} describes
   * @param replicas the replicas that were passed to {@link #spec}
   */
  public RangedRetainStore(
      RetainSettings settings,
      RetainQuota quota,
      RangeClient client,
      Replicas replicas,
      InstantSource clock) {
    this.settings = settings;
    this.quota = quota;
    this.client = client;
    this.replicas = replicas;
    this.clock = clock;
  }

  @Override
  public CompletableFuture<PutOutcome> put(
      String tenant, Message message, RetainVersion retainVersion) {
    byte[] key = RetainKeys.of(tenant, message.topic().name());
    RetainPublisher retainPublisher = RetainPublisher.of(message.publisher(), retainVersion);
    RetainCommand command =
        message.payload().length == 0
            ? new RetainCommand.Clear(key, retainPublisher)
            : putCommand(key, tenant, message, retainPublisher);
    return client
        .mutate(key, command.encode())
        .thenApply(
            answer -> {
              PutOutcome outcome = PutOutcome.values()[answer[0]];
              if (outcome == PutOutcome.REFUSED_FULL || outcome == PutOutcome.REFUSED_BYTES) {
                quota.refused(tenant, outcome);
              }
              return outcome;
            });
  }

  /**
   * The command carries the tenant's remaining quota, because only the replica knows by how much
   * the message grows its row.
   */
  private RetainCommand.Put putCommand(
      byte[] key, String tenant, Message message, RetainPublisher retainPublisher) {
    boolean full = replicas.count() >= settings.maxMessages();
    long maxGrowth = RetainCommand.Put.ANY;
    RetainQuota.Limits limits = quota.of(tenant);
    if (limits.maxMessages() > 0 || limits.maxBytes() > 0) {
      RetainUsage.Used used = replicas.used(tenant);
      full |= limits.maxMessages() > 0 && used.messages() >= limits.maxMessages();
      if (limits.maxBytes() > 0) {
        maxGrowth = Math.max(0, limits.maxBytes() - used.bytes());
      }
    }
    byte[] encoded = MessageCodec.encode(message);
    return new RetainCommand.Put(
        key, message.expiresAtMillis(), full, maxGrowth, retainPublisher, encoded);
  }

  @Override
  public CompletableFuture<Page> match(
      String tenant, TopicFilter filter, byte @Nullable [] cursor, int maxMessages, int maxBytes) {
    byte[] from = cursor == null ? RetainScan.firstKey(tenant, filter.pattern()) : cursor;
    RetainQuery query =
        new RetainQuery(from, tenant, filter.pattern(), clock.millis(), maxMessages, maxBytes);
    return client.query(from, query.encode()).thenApply(RetainAnswer::decodePage);
  }

  @Override
  public long count() {
    return replicas.count();
  }

  /**
   * Removes expired messages; call it about once a second. {@link #match} omits messages from the
   * moment they expire, so this only reclaims their space. Completes when the messages that were
   * due are removed or left to the next call.
   */
  public CompletableFuture<Void> sweep() {
    long nowMillis = clock.millis();
    List<CompletableFuture<?>> sweeps = new ArrayList<>();
    for (RetainCoprocessor replica : replicas.opened.values()) {
      if (replica.isDueAt(nowMillis)) {
        byte[] expire = new RetainCommand.Expire(MAX_REMOVALS).encode();
        sweeps.add(client.mutate(replica.firstKey(), expire));
      }
    }
    return CompletableFuture.allOf(sweeps.toArray(CompletableFuture[]::new));
  }
}
