package io.fjordmq.auth.redis;

import io.fjordmq.api.auth.ProviderException;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.async.RedisHashAsyncCommands;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.KeyValueStreamingChannel;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A connection to Redis, which is reestablished after it was lost. Commands of all clients share it
 * and are pipelined, which needs fewer packets and threads than a pool of connections. While it is
 * lost, commands fail at once. Thread-safe; does not block.
 */
final class RedisConnection implements AutoCloseable {
  // Event loops without a quiet period drop the tasks that release the buffers of closed channels.
  private static final int QUIET_MILLIS = 100;
  private static final int SHUTDOWN_MILLIS = 2_000;

  private static final int THREADS = 2;
  private static final int MAX_QUEUED = 10_000;

  /** Opens the connection. */
  @FunctionalInterface
  private interface Connector {
    CompletionStage<? extends Opened> connect();
  }

  private record Opened(
      StatefulConnection<String, String> connection,
      RedisHashAsyncCommands<String, String> commands) {}

  private final ClientResources resources;
  private final AbstractRedisClient client;
  private final Connector connector;
  private @Nullable CompletableFuture<Opened> current;
  private boolean closed;

  private RedisConnection(
      ClientResources resources, AbstractRedisClient client, Connector connector) {
    this.resources = resources;
    this.client = client;
    this.connector = connector;
  }

  /**
   * Begins to connect, so that the first clients do not wait until the classes of the driver are
   * loaded, which can take seconds. If this fails, the next command connects.
   */
  static RedisConnection open(RedisSettings settings) {
    settings.warnIfPlain();
    RedisConnection opened = create(settings);
    opened.connection();
    return opened;
  }

  private static RedisConnection create(RedisSettings settings) {
    ClientResources resources =
        DefaultClientResources.builder()
            .ioThreadPoolSize(THREADS)
            .computationThreadPoolSize(THREADS)
            .addressResolverGroup(DefaultAddressResolverGroup.INSTANCE)
            .reconnectDelay(
                Delay.exponential(
                    Duration.ofMillis(50), Duration.ofSeconds(2), 2, TimeUnit.MILLISECONDS))
            .build();
    if (settings.cluster()) {
      RedisClusterClient client = RedisClusterClient.create(resources, settings.servers());
      ClusterTopologyRefreshOptions refresh =
          ClusterTopologyRefreshOptions.builder()
              .enablePeriodicRefresh(Duration.ofSeconds(30))
              .enableAllAdaptiveRefreshTriggers()
              .adaptiveRefreshTriggersTimeout(Duration.ofSeconds(2))
              .build();
      ClusterClientOptions.Builder options = ClusterClientOptions.builder();
      configure(options, settings);
      client.setOptions(options.topologyRefreshOptions(refresh).build());
      return new RedisConnection(
          resources,
          client,
          () ->
              // A connection needs to know the nodes of the cluster.
              client
                  .refreshPartitionsAsync()
                  .thenCompose(done -> client.connectAsync(StringCodec.UTF8))
                  .thenApply(connection -> new Opened(connection, connection.async())));
    }
    RedisClient client = RedisClient.create(resources, settings.servers().get(0));
    ClientOptions.Builder options = ClientOptions.builder();
    configure(options, settings);
    client.setOptions(options.build());
    return new RedisConnection(
        resources,
        client,
        () ->
            client
                .connectAsync(StringCodec.UTF8, settings.servers().get(0))
                .thenApply(connection -> new Opened(connection, connection.async())));
  }

  private static void configure(ClientOptions.Builder options, RedisSettings settings) {
    options
        .autoReconnect(true)
        // The connections to the nodes of a cluster are made by their first command, which must
        // wait.
        .disconnectedBehavior(
            settings.cluster()
                ? DisconnectedBehavior.ACCEPT_COMMANDS
                : DisconnectedBehavior.REJECT_COMMANDS)
        .requestQueueSize(MAX_QUEUED)
        .protocolVersion(ProtocolVersion.RESP2)
        .pingBeforeActivateConnection(true)
        .socketOptions(
            SocketOptions.builder().connectTimeout(settings.timeout()).keepAlive(true).build())
        .timeoutOptions(TimeoutOptions.enabled(settings.timeout()));
    if (settings.tls() != null) {
      options.sslOptions(settings.tls());
    }
  }

  /** Returns the values of some fields; null for missing ones. */
  CompletableFuture<List<KeyValue<String, String>>> read(String key, List<String> fields) {
    return call(commands -> commands.hmget(key, fields.toArray(String[]::new)));
  }

  /**
   * Passes all fields and their values to the channel one after the other, so that a huge hash need
   * not be in memory.
   */
  CompletableFuture<Long> readAll(KeyValueStreamingChannel<String, String> channel, String key) {
    return call(commands -> commands.hgetall(channel, key));
  }

  private <T> CompletableFuture<T> call(
      Function<RedisHashAsyncCommands<String, String>, CompletionStage<T>> command) {
    CompletableFuture<T> result = new CompletableFuture<>();
    connection()
        .thenCompose(opened -> command.apply(opened.commands))
        .whenComplete(
            (value, error) -> {
              if (error == null) {
                result.complete(value);
              } else {
                result.completeExceptionally(failureOf(error));
              }
            });
    return result;
  }

  /** Returns the connection, or connects if this was not attempted or has failed. */
  private synchronized CompletableFuture<Opened> connection() {
    if (closed) {
      return CompletableFuture.failedFuture(new CancellationException("closed"));
    }
    CompletableFuture<Opened> known = current;
    if (known == null || known.isCompletedExceptionally()) {
      try {
        known = connector.connect().<Opened>thenApply(opened -> opened).toCompletableFuture();
      } catch (RuntimeException e) {
        known = CompletableFuture.failedFuture(e);
      }
      current = known;
    }
    return known;
  }

  /** Commands only read, so they can be repeated if Redis did not refuse them. */
  private static ProviderException failureOf(Throwable error) {
    Throwable cause = error;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    boolean refused = cause instanceof RedisCommandExecutionException;
    boolean timedOut = cause instanceof RedisCommandTimeoutException;
    Throwable root = cause.getCause() == null ? cause : cause.getCause();
    String message = "Redis: " + (refused || timedOut ? cause : root).getMessage();
    return new ProviderException(message, !refused && !timedOut, cause);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    client
        .shutdownAsync(QUIET_MILLIS, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS)
        .whenComplete(
            (done, error) ->
                resources.shutdown(QUIET_MILLIS, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS));
  }
}
