package io.fjordmq.retain.client;

import io.fjordmq.api.Message;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.common.MessageCodec;
import io.fjordmq.range.RangeClient;
import io.fjordmq.retain.ClearTopic;
import io.fjordmq.retain.PutMessage;
import io.fjordmq.retain.RetainCommand;
import io.fjordmq.retain.RetainKeys;
import io.fjordmq.retain.RetainPublisher;
import io.fjordmq.retain.RetainQuery;
import io.fjordmq.retain.RetainQuota;
import io.fjordmq.retain.RetainReplicas;
import io.fjordmq.retain.RetainResponse;
import io.fjordmq.retain.RetainScan;
import io.fjordmq.retain.RetainSettings;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.retain.RetainUsage;
import io.fjordmq.retain.RetainVersion;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The retain store on the range engine. */
public final class ReplicatedRetainStore implements RetainStore {
  private final RetainSettings settings;
  private final RetainQuota quota;
  private final RangeClient client;
  private final RetainReplicas replicas;
  private final InstantSource clock;

  /** Creates a store without tenant quotas. */
  public ReplicatedRetainStore(
      RetainSettings settings, RangeClient client, RetainReplicas replicas, InstantSource clock) {
    this(settings, RetainQuota.NONE, client, replicas, clock);
  }

  /**
   * Creates a store.
   *
   * @param quota tenant limits; messages in flight are not counted
   * @param client client for the store {@link RetainReplicas#STORE}
   * @param replicas the replicas of this node
   */
  public ReplicatedRetainStore(
      RetainSettings settings,
      RetainQuota quota,
      RangeClient client,
      RetainReplicas replicas,
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
            ? new ClearTopic(key, retainPublisher)
            : putCommand(key, tenant, message, retainPublisher);
    return client
        .mutate(key, command.encode())
        .thenApply(
            response -> {
              PutOutcome outcome = PutMessage.decodeResponse(response);
              if (outcome == PutOutcome.REFUSED_FULL || outcome == PutOutcome.REFUSED_BYTES) {
                quota.onRejected(tenant, outcome);
              }
              return outcome;
            });
  }

  /**
   * Creates the command. It carries the tenant's remaining quota, because only the replica knows by
   * how much the message grows its row.
   */
  private PutMessage putCommand(
      byte[] key, String tenant, Message message, RetainPublisher retainPublisher) {
    boolean full = replicas.count() >= settings.maxMessages();
    long maxGrowth = PutMessage.UNLIMITED;
    RetainQuota.Limits limits = quota.of(tenant);
    if (limits.maxMessages() > 0 || limits.maxBytes() > 0) {
      RetainUsage.TenantUsage used = replicas.used(tenant);
      full |= limits.maxMessages() > 0 && used.messages() >= limits.maxMessages();
      if (limits.maxBytes() > 0) {
        maxGrowth = Math.max(0, limits.maxBytes() - used.bytes());
      }
    }
    byte[] encoded = MessageCodec.encode(message);
    return new PutMessage(
        key, message.expiresAtMillis(), full, maxGrowth, retainPublisher, encoded);
  }

  @Override
  public CompletableFuture<Page> match(
      String tenant, TopicFilter filter, byte @Nullable [] cursor, int maxMessages, int maxBytes) {
    byte[] from = cursor == null ? RetainScan.firstKey(tenant, filter.pattern()) : cursor;
    RetainQuery query =
        new RetainQuery(from, tenant, filter.pattern(), clock.millis(), maxMessages, maxBytes);
    return client.query(from, query.encode()).thenApply(RetainResponse::decodePage);
  }

  @Override
  public long count() {
    return replicas.count();
  }
}
