package io.fjordmq.broker.flapping;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.bans.Ban;
import io.fjordmq.broker.bans.BanKind;
import io.fjordmq.broker.events.Banned;
import io.fjordmq.broker.events.ClientHistory;
import io.fjordmq.broker.limits.RateLimitedLog;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.records.RecordException;
import io.fjordmq.broker.security.SecurityObserver;
import io.fjordmq.broker.session.ClientEvents;
import io.fjordmq.common.OperationException;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bans client identifiers whose connections end too often on this node. Every end of a connection
 * counts, even a takeover by another connection with the same identifier, but not those that the
 * node or an operator causes. Thread-safe; does not block.
 */
public final class FlappingDetector implements ClientEvents {
  private static final Logger LOG = LoggerFactory.getLogger(FlappingDetector.class);
  private static final String NAME = "flapping detector";

  /** Creates bans; bans of different tenants do not affect each other. */
  private static final Caller CALLER = new Caller(NAME, Caller.Kind.LOCAL, Role.OPERATOR, null);

  private final FlappingSettings settings;
  private final Dependencies dependencies;
  private final RateLimitedLog failures = new RateLimitedLog();
  // Ordered by the time of the first disconnect, oldest first. Guarded by itself.
  private final Map<Key, Disconnects> byClient = new LinkedHashMap<>();

  private record Key(String tenant, String clientId) {}

  private static final class Disconnects {
    private final long sinceMillis;
    private int count;

    private Disconnects(long sinceMillis) {
      this.sinceMillis = sinceMillis;
    }
  }

  /** Creates a ban. */
  @FunctionalInterface
  public interface Bans {
    /** See {@link io.fjordmq.broker.bans.Bans#add}. */
    CompletableFuture<Ban> add(Caller caller, Ban.Draft draft);
  }

  /**
   * The dependencies of the detector.
   *
   * @param history records an event of the banned client
   * @param observer counts bans
   */
  public record Dependencies(Bans bans, ClientHistory history, SecurityObserver observer) {}

  public FlappingDetector(FlappingSettings settings, Dependencies dependencies) {
    this.settings = settings;
    this.dependencies = dependencies;
  }

  @Override
  public void onDisconnected(Client client, CloseReason reason, long nowMillis) {
    if (counts(reason)
        && isFlapping(new Key(client.tenant(), client.request().clientId()), nowMillis)) {
      ban(client.tenant(), client.request().clientId(), nowMillis);
    }
  }

  private static boolean counts(CloseReason reason) {
    return switch (reason) {
      case SERVER_SHUTTING_DOWN,
          NODE_DOWN,
          USE_ANOTHER_SERVER,
          ADMINISTRATIVE_ACTION,
          BANNED,
          SERVER_BUSY,
          SERVER_UNAVAILABLE,
          NOT_DURABLE,
          INTERNAL_ERROR ->
          false;
      default -> true;
    };
  }

  private boolean isFlapping(Key key, long nowMillis) {
    synchronized (byClient) {
      Disconnects found = byClient.get(key);
      if (found == null || isExpired(found, nowMillis)) {
        byClient.remove(key);
        found = new Disconnects(nowMillis);
        byClient.put(key, found);
        evict(nowMillis);
      }
      if (++found.count < settings.maxCount()) {
        return false;
      }
      byClient.remove(key);
      return true;
    }
  }

  private void evict(long nowMillis) {
    Iterator<Disconnects> oldest = byClient.values().iterator();
    while (oldest.hasNext()) {
      boolean tooMany = byClient.size() > settings.maxClients();
      if (!isExpired(oldest.next(), nowMillis) && !tooMany) {
        return;
      }
      oldest.remove();
    }
  }

  private boolean isExpired(Disconnects disconnects, long nowMillis) {
    return nowMillis - disconnects.sinceMillis >= settings.window().toMillis();
  }

  /** The number of clients whose disconnects are counted. */
  int size() {
    synchronized (byClient) {
      return byClient.size();
    }
  }

  private void ban(String tenant, String clientId, long nowMillis) {
    String reason =
        "disconnected %d times within %d s"
            .formatted(settings.maxCount(), settings.window().toSeconds());
    Instant until = Instant.ofEpochMilli(nowMillis).plus(settings.banTime());
    dependencies
        .bans
        .add(CALLER, new Ban.Draft(BanKind.CLIENTID, clientId, tenant, null, reason, null, until))
        .whenComplete(
            (ban, failure) -> {
              if (ban == null) {
                reportFailure(clientId, failure);
              } else {
                reportBan(tenant, clientId, reason, until);
              }
            });
  }

  private void reportBan(String tenant, String clientId, String reason, Instant until) {
    LOG.info(
        "Client banned by the flapping detector: {} client={} tenant={} until={}",
        reason,
        clientId,
        tenant,
        until);
    dependencies.observer.onFlappingBan();
    dependencies.history.record(tenant, clientId, new Banned(NAME, reason, until.toEpochMilli()));
  }

  private void reportFailure(String clientId, @Nullable Throwable failure) {
    if (OperationException.isAny(
        failure, RecordException.Kind.EXISTS, RecordException.Kind.CHANGED)) {
      return; // another node was faster
    }
    String suppressed = failures.permit();
    if (suppressed != null) {
      LOG.warn(
          "Cannot ban a flapping client: {}{} client={}",
          failure == null ? "unknown" : OperationException.unwrap(failure).getMessage(),
          suppressed,
          clientId);
    }
  }
}
