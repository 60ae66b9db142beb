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

/** The retained messages on the range engine. */
public final class RangedRetainStore implements RetainStore {
  /*
   * Two halves that are made one after the other: spec() goes into the engine before there is a client, connect() takes the
   * client once the engine runs. replicas is what the engine has opened on this node.
   */
  private static final String NAME = "retain";

  /** Removals in one log entry, so that none is large. */
  private static final int SWEEP_AT_ONCE = 256;

  private final RetainSettings settings;
  private final RetainQuota quota;
  private final RangeClient client;
  private final Replicas replicas;
  private final InstantSource clock;

  /** The replicas this node holds; made before the engine, filled by it. */
  public static final class Replicas {
    private final Map<RangeId, RetainCoprocessor> opened = new ConcurrentHashMap<>();

    private Coprocessor open(RangeId range, IndexSpace space) {
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

  /** What the range engine needs to know of this store. */
  public static StoreSpec spec(RetainSettings settings, Replicas replicas) {
    IndexSpace space = new IndexSpace(settings.maxIndexBytes());
    return new StoreSpec(
        NAME,
        RetainKeys.evenSplits(settings.initialRanges()),
        range -> replicas.open(range, space),
        (range, effects) -> {
          throw new IllegalStateException("retained messages have no effects, but got " + effects);
        });
  }

  /** With no limits of tenants. */
  public RangedRetainStore(
      RetainSettings settings, RangeClient client, Replicas replicas, InstantSource clock) {
    this(settings, RetainQuota.NONE, client, replicas, clock);
  }

  /**
   * @param quota of tenants, kept against counts that lag by what is in flight
   * @param client of the store that {@link #spec} described
   * @param replicas the ones given to {@link #spec}
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
            : keep(key, tenant, message, retainPublisher);
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

  /** What the tenant has left goes into the command; what the message adds is seen by its row. */
  private RetainCommand.Put keep(
      byte[] key, String tenant, Message message, RetainPublisher retainPublisher) {
    boolean full = replicas.count() >= settings.maxMessages();
    long room = RetainCommand.Put.ANY;
    RetainQuota.Limits limits = quota.of(tenant);
    if (limits.maxMessages() > 0 || limits.maxBytes() > 0) {
      RetainUsage.Used used = replicas.used(tenant);
      full |= limits.maxMessages() > 0 && used.messages() >= limits.maxMessages();
      if (limits.maxBytes() > 0) {
        room = Math.max(0, limits.maxBytes() - used.bytes());
      }
    }
    byte[] encoded = MessageCodec.encode(message);
    return new RetainCommand.Put(
        key, message.expiresAtMillis(), full, room, retainPublisher, encoded);
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
   * Has expired messages removed; to be called every second or so. They are left out of {@link
   * #match} from the moment they expire; this gives their space back. Completes when what was due
   * at the call is removed or left to the next one.
   */
  public CompletableFuture<Void> sweep() {
    long nowMillis = clock.millis();
    List<CompletableFuture<?>> sweeps = new ArrayList<>();
    for (RetainCoprocessor replica : replicas.opened.values()) {
      if (replica.isDueAt(nowMillis)) {
        byte[] expire = new RetainCommand.Expire(SWEEP_AT_ONCE).encode();
        sweeps.add(client.mutate(replica.firstKey(), expire));
      }
    }
    return CompletableFuture.allOf(sweeps.toArray(CompletableFuture[]::new));
  }
}
