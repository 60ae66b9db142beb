package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.ConnectSettings;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.MqttPacketWriter;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Publishes numbered messages with QoS 1 in a closed loop: a bounded number is in flight, and each
 * topic in turn gets the same number of messages. Fills queues and sets retained messages; measures
 * nothing. Must be used on its channel's event loop, unless a method says otherwise.
 */
final class ClosedLoopPublisher implements LoadClient.Receiver {
  private static final int WINDOW = 256;
  private static final int RETAIN = 1;

  private final LoadClient client;
  private final List<byte[]> topics;
  private final int messages;
  private final byte[] padding;
  private final int flags;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private int sent;
  private int acknowledged;

  /**
   * @param messagesPerTopic messages per topic
   * @param payloadBytes at least {@link NumberedMessages#HEADER_BYTES}
   * @param flags flags of the fixed header, in addition to the QoS
   */
  ClosedLoopPublisher(
      String clientId, List<String> topics, int messagesPerTopic, int payloadBytes, int flags) {
    this(ConnectSettings.simple(clientId, true), topics, messagesPerTopic, payloadBytes, flags);
  }

  ClosedLoopPublisher(
      ConnectSettings connect,
      List<String> topics,
      int messagesPerTopic,
      int payloadBytes,
      int flags) {
    this.client = new LoadClient(connect, this);
    this.topics = topics.stream().map(topic -> topic.getBytes(StandardCharsets.UTF_8)).toList();
    this.messages = messagesPerTopic * topics.size();
    this.padding = new byte[payloadBytes - NumberedMessages.HEADER_BYTES];
    this.flags = flags;
  }

  /** Sets the retained message of each topic. Blocks. */
  static void retain(ClientLoops loops, List<String> topics, int payloadBytes) throws Exception {
    Waves.await(
        List.of(new ClosedLoopPublisher("retain", topics, 1, payloadBytes, RETAIN).run(loops, 0)));
  }

  /** Connects, publishes and disconnects; completes when the last message is acknowledged. */
  CompletableFuture<Void> run(ClientLoops loops, int node) {
    return connect(loops, node).thenCompose(connected -> publish());
  }

  CompletableFuture<LoadClient> connect(ClientLoops loops, int node) {
    return loops.connect(client, node);
  }

  /**
   * Publishes and disconnects; completes when the last message is acknowledged. May be called on
   * any thread.
   */
  CompletableFuture<Void> publish() {
    client
        .channel()
        .closeFuture()
        .addListener(closed -> done.completeExceptionally(connectionLost()));
    client
        .channel()
        .eventLoop()
        .execute(
            () -> {
              send();
              client.channel().flush();
            });
    return done.thenRun(client::close);
  }

  private IllegalStateException connectionLost() {
    return new IllegalStateException(
        "a publisher lost its connection after " + acknowledged + " of " + messages + " messages");
  }

  private void send() {
    ByteBuf out = client.channel().alloc().buffer();
    for (; sent < messages && sent - acknowledged < WINDOW; sent++) {
      int bytes = NumberedMessages.HEADER_BYTES + padding.length;
      byte[] topic = topics.get(sent % topics.size());
      int start = out.writerIndex();
      MqttPacketWriter.publish(out, topic, 1, client.nextPacketIdentifier(), bytes);
      out.setByte(start, out.getByte(start) | flags);
      out.writeLong(System.nanoTime()).writeInt(sent / topics.size()).writeBytes(padding);
    }
    client.channel().write(out, client.channel().voidPromise());
  }

  @Override
  public void onPuback(int packetIdentifier) {
    acknowledged++;
    if (acknowledged == messages) {
      done.complete(null);
    } else if (sent < messages && sent - acknowledged <= WINDOW / 2) {
      send(); // the client flushes after each read
    }
  }
}
