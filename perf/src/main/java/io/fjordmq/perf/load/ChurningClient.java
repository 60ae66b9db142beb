package io.fjordmq.perf.load;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.ConnectSettings;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.scenario.ClientChurn;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client that repeatedly disconnects after a random time and then reconnects. Before it
 * disconnects, it stops publishing and waits for outstanding acknowledgements, so that all its
 * messages can be checked. Messages sent to it while it is not subscribed are optional. Runs on its
 * connection's event loop.
 */
final class ChurningClient {
  private static final long OFFLINE_MILLIS = 1_000;
  private static final long POLL_MILLIS = 20;

  private final Fleet fleet;
  private final ClientLoops loops;
  private final ConnectSettings connectSettings;
  private final int node;
  private final LoadRole loadRole;
  private final ClientChurn clientChurn;
  private final List<String> filters;
  private final int qos;
  private final EventLoop loop;
  private LoadClient client;

  /**
   * @param client a connected client
   * @param filters its subscriptions; empty if it only publishes
   */
  ChurningClient(
      Fleet fleet,
      ClientLoops loops,
      ConnectSettings connectSettings,
      int node,
      LoadRole loadRole,
      ClientChurn clientChurn,
      List<String> filters,
      int qos,
      LoadClient client) {
    this.fleet = fleet;
    this.loops = loops;
    this.connectSettings = connectSettings;
    this.node = node;
    this.loadRole = loadRole;
    this.clientChurn = clientChurn;
    this.filters = filters;
    this.qos = qos;
    this.client = client;
    this.loop = client.channel().eventLoop();
  }

  /** Schedules the next disconnect. May be called on any thread. */
  void start() {
    long minMillis = TimeUnit.SECONDS.toMillis(clientChurn.minSeconds());
    long maxMillis = TimeUnit.SECONDS.toMillis(clientChurn.maxSeconds());
    long connectedMillis = ThreadLocalRandom.current().nextLong(minMillis, maxMillis + 1);
    loop.schedule(this::stopPublishing, connectedMillis, TimeUnit.MILLISECONDS);
  }

  private void stopPublishing() {
    if (fleet.isOver() || !client.channel().isActive()) {
      return; // LoadRole.onLost has counted it
    }
    Publisher publisher = loadRole.publisher();
    if (publisher != null) {
      publisher.pause();
    }
    disconnect();
  }

  private void disconnect() {
    Publisher publisher = loadRole.publisher();
    if (publisher != null && publisher.unacknowledged() > 0) {
      if (!fleet.isStopped()) {
        loop.schedule(this::disconnect, POLL_MILLIS, TimeUnit.MILLISECONDS);
      }
      return;
    }
    if (!client.channel().isActive()) {
      return; // the connection was lost while the client waited
    }
    Subscriber subscriber = loadRole.subscriber();
    if (subscriber != null) {
      subscriber.onDisconnected();
    }
    loadRole.onDisconnected();
    client.close();
    fleet.connectionCounts().onDisconnected();
    loop.schedule(this::reconnect, OFFLINE_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void reconnect() {
    client = new LoadClient(connectSettings, loadRole);
    loops
        .connect(client, node, loop)
        .thenCompose(
            connected ->
                filters.isEmpty() ? connected.connected() : connected.subscribe(filters, qos))
        .whenComplete((connected, error) -> loop.execute(() -> onReconnected(error)));
  }

  private void onReconnected(@Nullable Throwable error) {
    if (error != null) {
      fleet.connectionCounts().reconnectFailed(Arrivals.reason(error));
      client.connected().thenAccept(LoadClient::close); // if the SUBSCRIBE failed
      return;
    }
    Subscriber subscriber = loadRole.subscriber();
    if (subscriber != null) {
      subscriber.onReconnected(fleet);
    }
    Publisher publisher = loadRole.publisher();
    if (publisher != null) {
      publisher.resume(client, fleet.requireSchedule(), System.nanoTime());
    }
    fleet.onReconnected(client);
    loadRole.onConnected();
    start();
  }
}
