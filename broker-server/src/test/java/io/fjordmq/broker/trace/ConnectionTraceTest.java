package io.fjordmq.broker.trace;

import static io.fjordmq.broker.records.TestRecords.get;
import static io.fjordmq.broker.trace.TestTraces.ANN;
import static io.fjordmq.broker.trace.TestTraces.caller;
import static io.fjordmq.broker.trace.TestTraces.draft;
import static io.fjordmq.broker.trace.TestTraces.log;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.testing.Await;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packets of a traced connection. */
class ConnectionTraceTest {
  private static final int LEVEL = 4;

  @TempDir private Path folder;
  private TestTraces cluster;
  private Traces traces;
  private Tracer tracer;
  private final EmbeddedChannel channel = new EmbeddedChannel();

  @BeforeEach
  void open() {
    cluster =
        new TestTraces(
            folder,
            new TraceSettings(9, 9, Duration.ofHours(2), Duration.ofHours(4), 64 << 10, 100));
    traces = cluster.open("n1");
    tracer = traces.tracer();
    Peer.plain("tcp", new InetSocketAddress("10.0.0.7", 5)).attachTo(channel);
    channel.pipeline().addLast("frames", new ChannelInboundHandlerAdapter());
  }

  @AfterEach
  void close() throws InterruptedException {
    channel.finishAndReleaseAll();
    cluster.close();
  }

  private void start(Trace.Draft draft) {
    get(traces.create(ANN, draft));
    Await.until("the trace has started", () -> log(traces, draft.name()).contains("started"));
    Await.until("the tracer is on", tracer::isOn);
  }

  private static MqttConnectMessage connect() {
    return MqttMessageBuilders.connect()
        .protocolVersion(MqttVersion.MQTT_3_1_1)
        .clientId("c")
        .cleanSession(true)
        .build();
  }

  private static ByteBuf bytes(String hex) {
    return Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex.replace(" ", "")));
  }

  private List<String> lines(String name) {
    return log(traces, name)
        .lines()
        .filter(line -> !line.contains(" note "))
        .map(line -> line.substring("2030-01-01T00:00:00.000Z n1 ".length()))
        .toList();
  }

  private @Nullable ConnectionTrace update(String tenant) {
    return tracer.update(channel, tenant, "c", LEVEL);
  }

  @Test
  void shouldLeaveOtherConnectionsAlone() {
    tracer.onConnect(channel, connect(), "c");
    assertThat(update("t")).isNull();
    start(draft("x", TraceType.CLIENTID, "other"));
    tracer.onConnect(channel, connect(), "c");
    assertThat(update("t")).isNull();
    assertThat(channel.pipeline().names()).doesNotContain("trace");
    assertThat(tracer.matches(channel, "t", "c")).isFalse();
  }

  @Test
  void shouldShowPacketsInBothDirections() {
    start(draft("x", TraceType.CLIENTID, "c"));
    tracer.onConnect(channel, connect(), "c");
    ConnectionTrace trace = Objects.requireNonNull(update("t"));
    channel.writeOutbound(bytes("20 02 00 00"));
    channel.writeInbound(bytes("30 06 00 01 61 31 32 33"));
    trace.onRouted(message(), new Receivers(1, 2, 3, 4));
    trace.onQueued(message());
    channel.writeOutbound(bytes("40 02 00 07 d0 00"));
    assertThat(lines("x"))
        .containsExactly(
            "received client=c peer=10.0.0.7:5 CONNECT version=4 clean_start=1 keep_alive=0",
            "sent client=c peer=10.0.0.7:5 tenant=t CONNACK session_present=0 reason_code=0x00",
            "received client=c peer=10.0.0.7:5 tenant=t PUBLISH qos=0 retain=0 dup=0 topic=a"
                + " payload_bytes=3",
            "event client=c peer=10.0.0.7:5 tenant=t routed topic=a/b local_clients=1"
                + " other_nodes=2 inboxes=3 shares=4",
            "event client=c peer=10.0.0.7:5 tenant=t queued topic=a/b",
            "sent client=c peer=10.0.0.7:5 tenant=t PUBACK packet_id=7",
            "sent client=c peer=10.0.0.7:5 tenant=t PINGRESP");
    assertThat(channel.inboundMessages()).hasSize(1);
    assertThat(channel.outboundMessages()).hasSize(2);
  }

  private static Message message() {
    return new Message(
        new Topic("a/b"),
        "hello".getBytes(StandardCharsets.UTF_8),
        Qos.AT_LEAST_ONCE,
        false,
        MessageProperties.NONE,
        "c",
        0,
        Message.NEVER);
  }

  @Test
  void shouldNameTheProviderThatAdmittedTheClient() {
    ClientInfo client = new ClientInfo("t", "c", "u", Map.of(), "tcp", null, false, null, LEVEL);
    tracer.onAuthenticated(channel, client, "p");
    start(draft("x", TraceType.CLIENTID, "c"));
    tracer.onAuthenticated(channel, client, "securityConfig.passwordFile");
    assertThat(lines("x"))
        .containsExactly(
            "event client=c peer=10.0.0.7:5 tenant=t authenticated"
                + " by=securityConfig.passwordFile user_name=u");
  }

  @Test
  void shouldShowLargePayloadsThatAreWrittenSeparately() {
    start(
        new Trace.Draft(
            "x",
            TraceType.IP_ADDRESS,
            "10.0.0.0/8",
            null,
            PayloadEncoding.TEXT,
            null,
            null,
            TraceFormat.TEXT));
    tracer.onConnect(channel, connect(), "c");
    update("");
    byte[] payload = "y".repeat(997).getBytes(StandardCharsets.UTF_8);
    channel.writeOutbound(bytes("40 02 00 07 30 e8 07 00 01 61"));
    channel.writeOutbound(Unpooled.wrappedBuffer(payload), bytes("d0 00"));
    assertThat(lines("x").subList(1, 4))
        .containsExactly(
            "sent client=c peer=10.0.0.7:5 PUBACK packet_id=7",
            "sent client=c peer=10.0.0.7:5 PUBLISH qos=0 retain=0 dup=0 topic=a"
                + " payload_bytes=997 payload=\""
                + "y".repeat(100)
                + "\" truncated",
            "sent client=c peer=10.0.0.7:5 PINGRESP");
  }

  @Test
  void shouldTraceClientsThatAreConnected() {
    assertThat(update("")).isNull();
    start(draft("x", TraceType.CLIENTID, "c"));
    assertThat(tracer.matches(channel, "", "c")).isTrue();
    assertThat(update("")).isNotNull();
    channel.writeInbound(bytes("c0 00"));
    get(traces.stop(ANN, "x"));
    Await.until("the trace has ended", () -> !tracer.isOn());
    assertThat(update("")).isNull();
    assertThat(channel.pipeline().names()).doesNotContain("trace");
    channel.writeInbound(bytes("c0 00"));
    assertThat(lines("x"))
        .containsExactly(
            "event client=c peer=10.0.0.7:5 tracing begins; already connected",
            "received client=c peer=10.0.0.7:5 PINGREQ");
  }

  @Test
  void shouldWaitForTheTenant() {
    get(traces.create(caller("bob", "t"), draft("own", TraceType.CLIENTID, "c")));
    Await.until("the tracer is on", tracer::isOn);
    tracer.onConnect(channel, connect(), "c");
    assertThat(lines("own")).isEmpty();
    assertThat(update("t")).isNotNull();
    assertThat(lines("own"))
        .singleElement()
        .asString()
        .startsWith("received client=c peer=10.0.0.7:5 tenant=t CONNECT");
    EmbeddedChannel other = new EmbeddedChannel();
    Peer.plain("tcp", new InetSocketAddress("10.0.0.8", 5)).attachTo(other);
    other.pipeline().addLast("frames", new ChannelInboundHandlerAdapter());
    tracer.onConnect(other, connect(), "c");
    assertThat(tracer.update(other, "u", "c", LEVEL)).isNull();
    assertThat(other.pipeline().names()).doesNotContain("trace");
    assertThat(lines("own")).hasSize(1);
    other.finishAndReleaseAll();
  }

  private enum Result {
    STORED
  }

  @Test
  void shouldTellWhichTopicsAreTraced() {
    assertThat(tracer.isTracing("", new Topic("a/b"))).isFalse();
    start(draft("x", TraceType.TOPIC, "a/#"));
    assertThat(tracer.isTracing("", new Topic("a/b"))).isTrue();
    assertThat(tracer.isTracing("", new Topic("b"))).isFalse();
  }

  @Test
  void shouldForgetTheConnectIfTheTraceEndsBeforeTheClientIsConnected() {
    start(draft("x", TraceType.CLIENTID, "c"));
    tracer.onConnect(channel, connect(), "c");
    assertThat(channel.pipeline().names()).contains("trace");
    get(traces.stop(ANN, "x"));
    Await.until("the tracer is off", () -> !tracer.isOn());
    assertThat(update("t")).isNull();
    assertThat(channel.pipeline().names()).doesNotContain("trace");
  }

  @Test
  void shouldTraceMessagesByTopic() {
    start(
        new Trace.Draft(
            "x", TraceType.TOPIC, "a/#", null, PayloadEncoding.TEXT, null, null, TraceFormat.TEXT));
    Peer peer = Peer.of(channel);
    tracer.onMessage(MessageStep.RECEIVED, "", "c", peer, message());
    tracer.onMessage(new MessageStep.Routed(new Receivers(1, 0, 0, 0)), "", "c", null, message());
    tracer.onMessage(new MessageStep.Sent(0, true, 0, false), "", "d", peer, message());
    tracer.onMessage(new MessageStep.Sent(1, false, 9, true), "", "e", peer, message());
    tracer.onInboxResult("", "off", new Topic("a/b"), Result.STORED);
    tracer.onInboxResult("", "off", new Topic("b"), Result.STORED);
    assertThat(lines("x"))
        .containsExactly(
            "received client=c peer=10.0.0.7:5 PUBLISH qos=1 retain=0 topic=a/b payload_bytes=5"
                + " payload=\"hello\"",
            "event client=c routed topic=a/b local_clients=1 other_nodes=0 inboxes=0 shares=0",
            "sent client=d peer=10.0.0.7:5 PUBLISH qos=0 retain=1 topic=a/b payload_bytes=5"
                + " payload=\"hello\"",
            "sent client=e peer=10.0.0.7:5 PUBLISH qos=1 retain=0 topic=a/b payload_bytes=5"
                + " payload=\"hello\" packet_id=9 dup=1",
            "event client=off inbox result=stored topic=a/b");
  }
}
