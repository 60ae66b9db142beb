package io.fjordmq.broker.training;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A connected MQTT client. Any thread may call its methods; those that wait for the broker must not
 * be called on an event loop, and not by two threads at a time.
 */
final class TrainingClient extends SimpleChannelInboundHandler<MqttMessage> {
  private static final int RESPONSE_SECONDS = 20;
  private static final int KEEP_ALIVE_SECONDS = 60;
  private static final int SESSION_EXPIRY_SECONDS = 3600;
  private static final int PACKET_IDENTIFIERS = 65_535;

  /**
   * The values of a CONNECT that differ between clients.
   *
   * @param clientId unique, unless the client takes over a session
   * @param version MQTT 3.1.1 or 5
   * @param persistent whether the broker keeps the session when the connection ends
   */
  record Identity(String clientId, MqttVersion version, boolean persistent) {
    boolean isMqtt5() {
      return version == MqttVersion.MQTT_5;
    }
  }

  private final Identity identity;
  private final Runnable onMessage;
  private final Channel channel;
  private final CompletableFuture<Boolean> connack = new CompletableFuture<>();
  private final AtomicInteger packetIdentifiers = new AtomicInteger();

  /** The response that a request is waiting for. Only accessed on the event loop. */
  private @Nullable CompletableFuture<MqttMessage> response;

  /**
   * Opens the connection and waits for the CONNACK.
   *
   * @param onMessage called on the event loop for each PUBLISH
   * @throws IllegalStateException if the broker refuses the client
   */
  TrainingClient(
      EventLoopGroup loops, InetSocketAddress broker, Identity identity, Runnable onMessage) {
    this.identity = identity;
    this.onMessage = onMessage;
    ChannelFuture opening =
        new Bootstrap()
            .group(loops)
            .channel(NioSocketChannel.class)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel opened) {
                    opened
                        .pipeline()
                        .addLast(new MqttDecoder(), MqttEncoder.INSTANCE, TrainingClient.this);
                  }
                })
            .connect(broker);
    await(opening, "connect");
    channel = opening.channel();
    channel.writeAndFlush(connect());
    await(connack, "CONNACK");
  }

  private MqttConnectMessage connect() {
    MqttProperties properties = new MqttProperties();
    if (identity.isMqtt5() && identity.persistent()) {
      properties.add(
          new MqttProperties.IntegerProperty(
              MqttProperties.SESSION_EXPIRY_INTERVAL, SESSION_EXPIRY_SECONDS));
    }
    return MqttMessageBuilders.connect()
        .clientId(identity.clientId())
        .protocolVersion(identity.version())
        .cleanSession(!identity.persistent())
        .keepAlive(KEEP_ALIVE_SECONDS)
        .willFlag(true)
        .willTopic("training/will/" + identity.clientId())
        .willMessage("gone".getBytes(StandardCharsets.US_ASCII))
        .properties(properties)
        .build();
  }

  /** Whether the broker had a session for this client. */
  boolean sessionPresent() {
    return connack.join();
  }

  /** Waits for the SUBACK. */
  void subscribe(String filter, MqttQoS qos) {
    request(
        MqttMessageBuilders.subscribe()
            .messageId(nextPacketIdentifier())
            .addSubscription(qos, filter)
            .build(),
        "SUBACK");
  }

  /** Waits for the UNSUBACK. */
  void unsubscribe(String filter) {
    request(
        MqttMessageBuilders.unsubscribe()
            .messageId(nextPacketIdentifier())
            .addTopicFilter(filter)
            .build(),
        "UNSUBACK");
  }

  /** Waits for the PINGRESP. */
  void ping() {
    request(MqttMessage.PINGREQ, "PINGRESP");
  }

  /** Publishes a retained message with QoS 1 and waits for the PUBACK. */
  void publishRetained(String topic, byte[] payload) {
    request(publishPacket(topic, MqttQoS.AT_LEAST_ONCE, true, payload), "PUBACK");
  }

  private void request(MqttMessage packet, String expected) {
    CompletableFuture<MqttMessage> awaited = new CompletableFuture<>();
    channel
        .eventLoop()
        .execute(
            () -> {
              response = awaited;
              channel.writeAndFlush(packet);
            });
    await(awaited, expected);
  }

  /** Sends a PUBLISH and does not wait. */
  void publish(String topic, MqttQoS qos, byte[] payload) {
    channel.writeAndFlush(publishPacket(topic, qos, false, payload));
  }

  private MqttPublishMessage publishPacket(
      String topic, MqttQoS qos, boolean retained, byte[] payload) {
    return MqttMessageBuilders.publish()
        .topicName(topic)
        .qos(qos)
        .retained(retained)
        .messageId(qos == MqttQoS.AT_MOST_ONCE ? 0 : nextPacketIdentifier())
        .payload(Unpooled.wrappedBuffer(payload))
        .properties(MqttProperties.NO_PROPERTIES)
        .build();
  }

  /** Sends a DISCONNECT and waits until the connection is closed. */
  void disconnect() {
    channel.writeAndFlush(MqttMessage.DISCONNECT);
    await(channel.closeFuture(), "close after DISCONNECT");
  }

  /** Waits until the broker has closed the connection. */
  void awaitClosed() {
    await(channel.closeFuture(), "close by the broker");
  }

  /** Closes the connection without a DISCONNECT, so that the broker publishes the will. */
  void abort() {
    await(channel.close(), "close");
  }

  private int nextPacketIdentifier() {
    return packetIdentifiers.updateAndGet(last -> last % PACKET_IDENTIFIERS + 1);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, MqttMessage packet) {
    if (packet.decoderResult().isFailure()) {
      throw new IllegalStateException("cannot decode a packet", packet.decoderResult().cause());
    }
    switch (packet.fixedHeader().messageType()) {
      case CONNACK -> onConnack((MqttConnAckMessage) packet);
      case PUBLISH -> onPublish((MqttPublishMessage) packet);
      case PUBREC -> acknowledge(MqttMessageType.PUBREL, packet);
      case PUBREL -> acknowledge(MqttMessageType.PUBCOMP, packet);
      case SUBACK, UNSUBACK, PINGRESP, PUBACK, PUBCOMP -> {
        CompletableFuture<MqttMessage> waiting = response;
        if (waiting != null) {
          waiting.complete(packet);
        }
      }
      default -> {
        // a DISCONNECT, after which the broker closes the connection
      }
    }
  }

  private void onConnack(MqttConnAckMessage packet) {
    MqttConnectReturnCode code = packet.variableHeader().connectReturnCode();
    if (code == MqttConnectReturnCode.CONNECTION_ACCEPTED) {
      connack.complete(packet.variableHeader().isSessionPresent());
    } else {
      connack.completeExceptionally(new IllegalStateException("CONNACK " + code));
    }
  }

  private void onPublish(MqttPublishMessage packet) {
    switch (packet.fixedHeader().qosLevel()) {
      case AT_LEAST_ONCE -> acknowledge(MqttMessageType.PUBACK, packet.variableHeader().packetId());
      case EXACTLY_ONCE -> acknowledge(MqttMessageType.PUBREC, packet.variableHeader().packetId());
      default -> {
        // QoS 0 has no acknowledgement
      }
    }
    onMessage.run();
  }

  private void acknowledge(MqttMessageType type, MqttMessage packet) {
    acknowledge(type, ((MqttMessageIdVariableHeader) packet.variableHeader()).messageId());
  }

  private void acknowledge(MqttMessageType type, int identifier) {
    MqttQoS qos =
        type == MqttMessageType.PUBREL
            ? MqttQoS.AT_LEAST_ONCE
            : MqttQoS.AT_MOST_ONCE; // PUBREL has the flags of QoS 1
    channel.writeAndFlush(
        new MqttMessage(
            new MqttFixedHeader(type, false, qos, false, 0),
            MqttMessageIdVariableHeader.from(identifier)));
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    fail(new IllegalStateException("connection closed by the broker"));
    super.channelInactive(context);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    fail(cause);
    context.close();
  }

  private void fail(Throwable cause) {
    connack.completeExceptionally(cause);
    CompletableFuture<MqttMessage> waiting = response;
    if (waiting != null) {
      waiting.completeExceptionally(cause);
    }
  }

  private void await(Future<?> future, String event) {
    String failure = "client " + identity.clientId() + ": no " + event;
    try {
      future.get(RESPONSE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException(failure + " within " + RESPONSE_SECONDS + " s", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(failure, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(failure, e);
    }
  }
}
