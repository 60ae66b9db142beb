package io.fjordmq.perf;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt3.Mqtt3AsyncClient;
import io.fjordmq.perf.machine.ProcessUsage;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.mqtt.MqttClientOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Measures what MQTT client libraries use: memory for an idle connection and CPU for a message. Not
 * a test; docs/decisions/0027 says how to run it. {@code ClientCosts ours|vertx|hivemq PORT IDLE
 * PAIRS SECONDS}.
 */
public final class ClientCosts {
  private static final int THREADS = 2;
  private static final int INTERVAL_MILLIS = 10;
  private static final int WARM_SECONDS = 10;
  private static final int PAYLOAD_BYTES = 256;

  private final LongAdder received = new LongAdder();
  private final LongAdder sent = new LongAdder();
  private volatile boolean open = true;

  private ClientCosts() {}

  /** An MQTT client library. */
  private interface ClientLibrary {
    /** Connects a client and subscribes to the filter with QoS 1, unless it is empty. */
    CompletableFuture<?> connect(String clientId, String filter) throws Exception;

    /** Connects a client and starts publishing a QoS 1 message every 10 ms. */
    void startPublishing(String clientId, String topic, int delayMillis) throws Exception;
  }

  /** Runs the comparison; see the class for the arguments. */
  public static void main(String[] args) throws Exception {
    ClientCosts costs = new ClientCosts();
    int port = Integer.parseInt(args[1]);
    ClientLibrary library =
        switch (args[0]) {
          case "ours" -> costs.new LoadToolClient(port);
          case "vertx" -> costs.new VertxMqtt(port);
          case "hivemq" -> costs.new HiveMq(port);
          default -> throw new IllegalArgumentException(args[0]);
        };
    costs.run(
        args[0],
        library,
        Integer.parseInt(args[2]),
        Integer.parseInt(args[3]),
        Integer.parseInt(args[4]));
    System.exit(0);
  }

  private void run(String name, ClientLibrary library, int idle, int pairs, int seconds)
      throws Exception {
    connect(library, "first", 200); // so that classes and pools are not counted as connections
    final long before = usedMemoryKilobytes();
    connect(library, "idle", idle);
    final double kilobytes = (usedMemoryKilobytes() - before) / (double) idle;
    for (int i = 0; i < pairs; i++) {
      library.connect("sub" + i, "t/" + i).get(30, TimeUnit.SECONDS);
    }
    for (int i = 0; i < pairs; i++) {
      library.startPublishing("pub" + i, "t/" + i, i * INTERVAL_MILLIS / pairs);
    }
    TimeUnit.SECONDS.sleep(WARM_SECONDS);
    long self = ProcessHandle.current().pid();
    final long cpu = ProcessUsage.of(self).cpuMicros();
    final long messages = sent.sum() + received.sum();
    TimeUnit.SECONDS.sleep(seconds);
    double micros = ProcessUsage.of(self).cpuMicros() - cpu;
    long counted = sent.sum() + received.sum() - messages;
    open = false;
    System.out.printf(
        Locale.ROOT,
        "%-7s %.2f KB a connection (resident); %.2f us CPU a message at %d msg/s in+out%n",
        name,
        kilobytes,
        micros / counted,
        counted / seconds);
  }

  private static void connect(ClientLibrary library, String name, int count) throws Exception {
    for (int done = 0; done < count; done += 50) {
      CompletableFuture<?>[] wave = new CompletableFuture<?>[Math.min(50, count - done)];
      for (int i = 0; i < wave.length; i++) {
        wave[i] = library.connect(name + (done + i), "");
      }
      CompletableFuture.allOf(wave).get(60, TimeUnit.SECONDS);
    }
  }

  /** Returns the memory in use after garbage collection, in kilobytes. */
  private static long usedMemoryKilobytes() throws InterruptedException {
    for (int i = 0; i < 3; i++) {
      System.gc();
      TimeUnit.SECONDS.sleep(1);
    }
    Runtime runtime = Runtime.getRuntime();
    long heap = (runtime.totalMemory() - runtime.freeMemory()) / 1024;
    // Free heap is not used by connections.
    return ProcessUsage.of(ProcessHandle.current().pid()).residentKilobytes()
        - runtime.totalMemory() / 1024
        + heap;
  }

  private final class LoadToolClient implements ClientLibrary, LoadClient.Receiver {
    private final ClientLoops loops;

    LoadToolClient(int port) {
      loops =
          new ClientLoops(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), THREADS);
    }

    @Override
    public CompletableFuture<?> connect(String clientId, String filter) {
      CompletableFuture<LoadClient> connected = loops.connect(new LoadClient(clientId, true, this));
      return filter.isEmpty()
          ? connected
          : connected.thenCompose(client -> client.subscribe(filter, 1));
    }

    @Override
    public void startPublishing(String clientId, String topic, int delayMillis) throws Exception {
      LoadClient client =
          loops.connect(new LoadClient(clientId, true, this)).get(30, TimeUnit.SECONDS);
      byte[] name = topic.getBytes(StandardCharsets.UTF_8);
      client
          .channel()
          .eventLoop()
          .scheduleAtFixedRate(
              () -> {
                if (open) {
                  ByteBuf out = client.channel().alloc().buffer();
                  MqttPacketWriter.publish(
                      out, name, 1, client.nextPacketIdentifier(), PAYLOAD_BYTES);
                  out.writeZero(PAYLOAD_BYTES);
                  client.channel().writeAndFlush(out, client.channel().voidPromise());
                  sent.increment();
                }
              },
              delayMillis,
              INTERVAL_MILLIS,
              TimeUnit.MILLISECONDS);
    }

    @Override
    public void onPublish(ByteBuf payload) {
      received.increment();
    }

    @Override
    public void onPuback(int packetIdentifier) {}
  }

  private final class VertxMqtt implements ClientLibrary {
    private final Vertx vertx =
        Vertx.vertx(
            new VertxOptions().setEventLoopPoolSize(THREADS).setPreferNativeTransport(true));
    private final int port;

    VertxMqtt(int port) {
      this.port = port;
    }

    private io.vertx.mqtt.MqttClient client(String clientId) {
      return io.vertx.mqtt.MqttClient.create(
          vertx, new MqttClientOptions().setClientId(clientId).setMaxInflightQueue(10_000));
    }

    @Override
    public CompletableFuture<?> connect(String clientId, String filter) {
      io.vertx.mqtt.MqttClient client = client(clientId);
      client.publishHandler(message -> received.increment());
      return client
          .connect(port, "127.0.0.1")
          .compose(
              answer ->
                  filter.isEmpty()
                      ? io.vertx.core.Future.succeededFuture(0)
                      : client.subscribe(filter, 1))
          .toCompletionStage()
          .toCompletableFuture();
    }

    @Override
    public void startPublishing(String clientId, String topic, int delayMillis) throws Exception {
      io.vertx.mqtt.MqttClient client = client(clientId);
      Buffer payload = Buffer.buffer(new byte[PAYLOAD_BYTES]);
      client
          .connect(port, "127.0.0.1")
          .onSuccess(
              answer ->
                  vertx.setPeriodic(
                      delayMillis + 1L,
                      INTERVAL_MILLIS,
                      timer -> {
                        if (open) {
                          client.publish(topic, payload, MqttQoS.AT_LEAST_ONCE, false, false);
                          sent.increment();
                        }
                      }))
          .toCompletionStage()
          .toCompletableFuture()
          .get(30, TimeUnit.SECONDS);
    }
  }

  private final class HiveMq implements ClientLibrary {
    private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(1);
    private final InetSocketAddress broker;

    HiveMq(int port) {
      broker = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private Mqtt3AsyncClient client(String clientId) {
      return MqttClient.builder()
          .useMqttVersion3()
          .identifier(clientId)
          .serverAddress(broker)
          .executorConfig()
          .nettyThreads(THREADS)
          .applyExecutorConfig()
          .buildAsync();
    }

    @Override
    public CompletableFuture<?> connect(String clientId, String filter) {
      Mqtt3AsyncClient client = client(clientId);
      return client
          .connect()
          .thenCompose(
              answer ->
                  filter.isEmpty()
                      ? CompletableFuture.completedFuture(null)
                      : client
                          .subscribeWith()
                          .topicFilter(filter)
                          .qos(MqttQos.AT_LEAST_ONCE)
                          .callback(message -> received.increment())
                          .send());
    }

    @Override
    public void startPublishing(String clientId, String topic, int delayMillis) throws Exception {
      Mqtt3AsyncClient client = client(clientId);
      client.connect().get(30, TimeUnit.SECONDS);
      byte[] payload = new byte[PAYLOAD_BYTES];
      clock.scheduleAtFixedRate(
          () -> {
            if (open) {
              client.publishWith().topic(topic).qos(MqttQos.AT_LEAST_ONCE).payload(payload).send();
              sent.increment();
            }
          },
          delayMillis,
          INTERVAL_MILLIS,
          TimeUnit.MILLISECONDS);
    }
  }
}
