package io.fjordmq.broker.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPubReplyMessageVariableHeader;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttPublishVariableHeader;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttUnsubAckMessage;
import io.netty.handler.codec.mqtt.MqttVersion;
import io.netty.util.AttributeKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A client at the other end of an embedded channel; formats the packets it receives as text. */
public final class TestClient {
  private final Runnable settle;
  private final Link server;
  private final EmbeddedChannel codec =
      new EmbeddedChannel(new MqttDecoder(1 << 28, 65_535, true), MqttEncoder.INSTANCE);
  private final ArrayDeque<String> receivedPackets = new ArrayDeque<>();
  private @Nullable MqttConnAckMessage connAck;
  private MqttProperties lastProperties = MqttProperties.NO_PROPERTIES;
  private byte[] lastBytes = {};

  /**
   * @param settle runs the broker until it is idle
   */
  public TestClient(Runnable settle, ByteBufAllocator buffers, ChannelHandler pipeline) {
    this.settle = settle;
    this.server =
        new Link(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                channel.pipeline().addLast(pipeline);
              }
            });
    server.config().setAllocator(buffers);
    server.freezeTime();
  }

  public EmbeddedChannel channel() {
    return server;
  }

  /** Decodes MQTT 5, for a client that writes its CONNECT itself. */
  public TestClient decodeMqtt5() {
    codec
        .attr(AttributeKey.<MqttVersion>valueOf("NETTY_CODEC_MQTT_VERSION"))
        .set(MqttVersion.MQTT_5);
    return this;
  }

  /** Connects; the CONNACK is read like any other packet. */
  public TestClient connect(Consumer<MqttMessageBuilders.ConnectBuilder> how) {
    MqttMessageBuilders.ConnectBuilder builder = MqttMessageBuilders.connect();
    how.accept(builder);
    return send(builder.build());
  }

  public TestClient connect3(String clientId, boolean clean) {
    return connect(
        to -> to.protocolVersion(MqttVersion.MQTT_3_1_1).clientId(clientId).cleanSession(clean));
  }

  public TestClient connect5(String clientId, boolean clean, int expirySeconds) {
    MqttProperties properties = new MqttProperties();
    if (expirySeconds != 0) {
      properties.add(
          new MqttProperties.IntegerProperty(
              MqttProperties.SESSION_EXPIRY_INTERVAL, expirySeconds));
    }
    return connect5(clientId, clean, properties);
  }

  public TestClient connect5(String clientId, boolean clean, MqttProperties properties) {
    return connect(
        to ->
            to.protocolVersion(MqttVersion.MQTT_5)
                .clientId(clientId)
                .cleanSession(clean)
                .properties(properties));
  }

  public TestClient send(MqttMessage message) {
    codec.writeOutbound(message);
    for (ByteBuf bytes = codec.readOutbound(); bytes != null; bytes = codec.readOutbound()) {
      write(bytes);
    }
    settle.run();
    return this;
  }

  /** Sends bytes given as hexadecimal digits; blanks are ignored. */
  public TestClient sendHex(String hex) {
    write(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex.replace(" ", ""))));
    settle.run();
    return this;
  }

  private void write(ByteBuf bytes) {
    if (!server.isOpen()) {
      bytes.release();
      return;
    }
    server.writeInbound(bytes);
    server.checkException();
  }

  public TestClient subscribe(int id, String filter, int qos) {
    return send(
        MqttMessageBuilders.subscribe()
            .messageId(id)
            .addSubscription(MqttQoS.valueOf(qos), filter)
            .build());
  }

  public TestClient publish(int id, int qos, String topic, String payload) {
    return publish(id, qos, topic, payload, false, false, MqttProperties.NO_PROPERTIES);
  }

  public TestClient publish(
      int id,
      int qos,
      String topic,
      String payload,
      boolean retain,
      boolean dup,
      MqttProperties properties) {
    return send(
        new MqttPublishMessage(
            new MqttFixedHeader(MqttMessageType.PUBLISH, dup, MqttQoS.valueOf(qos), retain, 0),
            new MqttPublishVariableHeader(topic, id, properties),
            Unpooled.copiedBuffer(payload, StandardCharsets.UTF_8)));
  }

  public TestClient reply(MqttMessageType type, int id) {
    return reply(type, id, 0);
  }

  public TestClient reply(MqttMessageType type, int id, int reasonCode) {
    MqttQoS qos = type == MqttMessageType.PUBREL ? MqttQoS.AT_LEAST_ONCE : MqttQoS.AT_MOST_ONCE;
    return send(
        new MqttMessage(
            new MqttFixedHeader(type, false, qos, false, 0),
            new MqttPubReplyMessageVariableHeader(
                id, (byte) reasonCode, MqttProperties.NO_PROPERTIES)));
  }

  public TestClient disconnect() {
    return send(
        new MqttMessage(
            new MqttFixedHeader(
                MqttMessageType.DISCONNECT, false, MqttQoS.AT_MOST_ONCE, false, 0)));
  }

  /** Stops reading: sent packets stay in the server's channel. */
  public TestClient stopReading() {
    server.readingStopped = true;
    return this;
  }

  /** Reads everything that was queued. */
  public TestClient readAgain() {
    server.readingStopped = false;
    server.flush();
    settle.run();
    return this;
  }

  /** Reads some of the queued bytes first. */
  public TestClient readSome() {
    server.unsafe().outboundBuffer().progress(1);
    return this;
  }

  /** Bytes queued in the server's channel, as netty counts them. */
  public long unreadBytes() {
    return server.unsafe().outboundBuffer().totalPendingWriteBytes();
  }

  /** Drops the connection without a DISCONNECT. */
  public void cut() {
    close();
    settle.run();
  }

  /** Closes the connection; the broker handles that when the world settles. */
  void close() {
    server.close();
  }

  /** Advances the server's clock for timeouts. */
  public TestClient advance(long seconds) {
    for (long half = 0; half < seconds * 2; half++) {
      advanceHalfASecond();
    }
    return this;
  }

  public TestClient advanceHalfASecond() {
    server.advanceTimeBy(500, TimeUnit.MILLISECONDS);
    server.runScheduledPendingTasks();
    server.runPendingTasks();
    settle.run();
    return this;
  }

  public boolean isOpen() {
    return server.isOpen();
  }

  /** The next packet as text, e.g. {@code PUBLISH q1 id=1 a/b hello}; null if there is none. */
  public @Nullable String next() {
    drain();
    return receivedPackets.poll();
  }

  /** All packets received since the last call. */
  public List<String> readAll() {
    drain();
    List<String> result = new ArrayList<>(receivedPackets);
    receivedPackets.clear();
    return result;
  }

  public void expect(String... packets) {
    assertThat(readAll()).containsExactly(packets);
  }

  /** Properties of the last packet that had any. */
  public MqttProperties lastProperties() {
    drain();
    return lastProperties;
  }

  public @Nullable Object property(int id) {
    MqttProperties.MqttProperty<?> property = lastProperties().getProperty(id);
    return property == null ? null : property.value();
  }

  /** The last packet, as bytes. */
  public String lastHex() {
    drain();
    return ByteBufUtil.hexDump(lastBytes);
  }

  @Nullable MqttConnAckMessage connAck() {
    drain();
    return connAck;
  }

  public boolean runTasks() {
    boolean any = server.hasPendingTasks();
    if (any) {
      server.runPendingTasks();
    }
    server.checkException();
    return any;
  }

  public void dispose() {
    drain();
    server.finishAndReleaseAll();
    codec.finishAndReleaseAll();
  }

  /** An embedded channel whose other side may stop reading. */
  private static final class Link extends EmbeddedChannel {
    private boolean readingStopped;

    private Link(ChannelHandler first) {
      super(first);
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer waiting) throws Exception {
      if (!readingStopped) {
        super.doWrite(waiting);
      }
    }
  }

  private void drain() {
    for (ByteBuf bytes = server.readOutbound(); bytes != null; bytes = server.readOutbound()) {
      lastBytes = ByteBufUtil.getBytes(bytes);
      codec.writeInbound(bytes);
    }
    for (MqttMessage message = codec.readInbound();
        message != null;
        message = codec.readInbound()) {
      receivedPackets.add(text(message));
    }
  }

  private String text(MqttMessage message) {
    if (message.decoderResult().isFailure()) {
      return "undecodable: " + message.decoderResult().cause();
    }
    MqttFixedHeader header = message.fixedHeader();
    if (message instanceof MqttConnAckMessage ack) {
      connAck = ack;
      lastProperties = ack.variableHeader().properties();
      int code = ack.variableHeader().connectReturnCode().byteValue() & 0xFF;
      return "CONNACK "
          + Integer.toHexString(code)
          + (ack.variableHeader().isSessionPresent() ? " present" : "");
    }
    if (message instanceof MqttPublishMessage publish) {
      lastProperties = publish.variableHeader().properties();
      String payload = publish.payload().toString(StandardCharsets.UTF_8);
      publish.release();
      return "PUBLISH q"
          + header.qosLevel().value()
          + (header.isDup() ? " dup" : "")
          + (header.isRetain() ? " retain" : "")
          + (header.qosLevel().value() > 0 ? " id=" + publish.variableHeader().packetId() : "")
          + " "
          + publish.variableHeader().topicName()
          + " "
          + payload;
    }
    if (message instanceof MqttSubAckMessage ack) {
      return "SUBACK " + ack.variableHeader().messageId() + " " + ack.payload().reasonCodes();
    }
    if (message instanceof MqttUnsubAckMessage ack) {
      return "UNSUBACK "
          + ack.variableHeader().messageId()
          + " "
          + (ack.payload() == null ? "" : ack.payload().unsubscribeReasonCodes());
    }
    if (message.variableHeader() instanceof MqttPubReplyMessageVariableHeader reply) {
      return header.messageType()
          + " "
          + reply.messageId()
          + (reply.reasonCode() == 0 ? "" : " " + Integer.toHexString(reply.reasonCode() & 0xFF));
    }
    if (message.variableHeader() instanceof MqttMessageIdVariableHeader id) {
      return header.messageType() + " " + id.messageId();
    }
    if (message.variableHeader() instanceof MqttReasonCodeAndPropertiesVariableHeader why) {
      lastProperties = why.properties();
      return header.messageType() + " " + Integer.toHexString(why.reasonCode() & 0xFF);
    }
    return header.messageType().toString();
  }
}
