package io.fjordmq.broker.telemetry.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttVersion;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The spans of messages, with real sessions and the OpenTelemetry SDK. */
@ExtendWith(LeakDetector.class)
class SpanTracerTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String PUBLISHER = "b7ad6b7169203331";
  private static final String SAMPLED = "00-" + TRACE + "-" + PUBLISHER + "-01";

  private final List<SpanData> ended = new CopyOnWriteArrayList<>();
  private final SdkTracerProvider provider =
      SdkTracerProvider.builder()
          .addSpanProcessor(SimpleSpanProcessor.create(new Collecting(ended)))
          .build();
  private final World world = new World(SessionSettings.defaults(), Security.allowAll("t"));

  SpanTracerTest() {
    world.tracer = new SpanTracer(provider.get("test"), new SpanLimits(0, 2, System::nanoTime));
  }

  @AfterEach
  void close() {
    world.close();
    provider.close();
  }

  private record Collecting(List<SpanData> ended) implements SpanExporter {
    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      ended.addAll(spans);
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }

  private TestClient connect(String clientId, boolean clean) {
    TestClient client = world.open().connect5(clientId, clean, clean ? 0 : 1_000);
    client.readAll();
    return client;
  }

  private static MqttProperties traceParent(String value) {
    MqttProperties properties = new MqttProperties();
    properties.add(new MqttProperties.UserProperty("traceparent", value));
    return properties;
  }

  private static void publish(TestClient client, int qos, String value) {
    client.publish(qos == 0 ? 0 : 1, qos, "a/b", "hello", false, false, traceParent(value));
  }

  private List<String> names() {
    return ended.stream().map(SpanData::getName).toList();
  }

  private SpanData span(String name) {
    List<SpanData> found = ended.stream().filter(span -> span.getName().equals(name)).toList();
    assertThat(found).as("%s among %s", name, names()).hasSize(1);
    return found.get(0);
  }

  private static String text(SpanData span, String key) {
    return String.valueOf(span.getAttributes().get(AttributeKey.stringKey(key)));
  }

  private static long number(SpanData span, String key) {
    Long value = span.getAttributes().get(AttributeKey.longKey(key));
    return value == null ? -1 : value;
  }

  @Test
  void shouldFollowAMessageToAPersistentSession() {
    connect("sub", false).subscribe(1, "a/+", 1).readAll();
    TestClient subscriber = connect("sub2", true);
    subscriber.subscribe(1, "a/#", 0).readAll();
    publish(connect("pub", true), 1, SAMPLED);
    subscriber.readAll();
    assertThat(names()).contains("publish", "route", "store");

    SpanData publish = span("publish");
    assertThat(publish.getTraceId()).isEqualTo(TRACE);
    assertThat(publish.getParentSpanId()).isEqualTo(PUBLISHER);
    assertThat(publish.getParentSpanContext().isRemote()).isTrue();
    assertThat(publish.getKind()).isEqualTo(SpanKind.SERVER);
    assertThat(publish.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    assertThat(text(publish, "messaging.system")).isEqualTo("mqtt");
    assertThat(text(publish, "messaging.operation.name")).isEqualTo("publish");
    assertThat(text(publish, "messaging.destination.name")).isEqualTo("a/b");
    assertThat(text(publish, "messaging.client.id")).isEqualTo("pub");
    assertThat(text(publish, "fjordmq.tenant")).isEqualTo("t");
    assertThat(number(publish, "messaging.message.body.size")).isEqualTo(5);
    assertThat(number(publish, "fjordmq.qos")).isEqualTo(1);

    SpanData route = span("route");
    assertThat(route.getParentSpanId()).isEqualTo(publish.getSpanId());
    assertThat(number(route, "fjordmq.nodes")).isEqualTo(1);
    assertThat(number(route, "fjordmq.inboxes")).isEqualTo(1);
    assertThat(number(route, "fjordmq.shares")).isZero();
    assertThat(span("store").getParentSpanId()).isEqualTo(publish.getSpanId());
    assertThat(span("store").getEndEpochNanos()).isLessThanOrEqualTo(publish.getEndEpochNanos());
  }

  @Test
  void shouldEndADeliveryWithItsAcknowledgement() {
    TestClient subscriber = connect("sub", true);
    subscriber.subscribe(1, "a/b", 1).readAll();
    publish(connect("pub", true), 1, SAMPLED);
    subscriber.readAll();
    assertThat(names()).doesNotContain("deliver");
    subscriber.reply(MqttMessageType.PUBACK, 1);
    SpanData deliver = span("deliver");
    assertThat(deliver.getTraceId()).isEqualTo(TRACE);
    assertThat(deliver.getParentSpanId()).isEqualTo(PUBLISHER);
    assertThat(deliver.getKind()).isEqualTo(SpanKind.CLIENT);
    assertThat(text(deliver, "messaging.client.id")).isEqualTo("sub");
    assertThat(text(deliver, "messaging.operation.type")).isEqualTo("send");
    assertThat(deliver.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
  }

  @Test
  void shouldEndADeliveryOfQos0WhenItIsSent() {
    TestClient subscriber = connect("sub", true);
    subscriber.subscribe(1, "a/b", 0).readAll();
    publish(connect("pub", true), 0, SAMPLED);
    subscriber.readAll();
    assertThat(number(span("deliver"), "fjordmq.qos")).isZero();
    assertThat(span("publish").getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
  }

  @Test
  void shouldReportFailures() {
    TestClient subscriber = connect("sub", true);
    subscriber.subscribe(1, "a/b", 1).readAll();
    publish(connect("pub", true), 1, SAMPLED);
    subscriber.readAll();
    subscriber.cut();
    SpanData deliver = span("deliver");
    assertThat(deliver.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(text(deliver, "error.type")).isEqualTo("connection_closed");

    world.overloaded = true;
    ended.clear();
    publish(connectBefore(), 1, SAMPLED);
    assertThat(text(span("publish"), "error.type")).isEqualTo("overloaded");
  }

  private TestClient connectBefore() {
    world.overloaded = false;
    TestClient client = connect("pub2", true);
    world.overloaded = true;
    return client;
  }

  @Test
  void shouldEndASpanWhenItsConnectionEnds() {
    connect("sub", false).subscribe(1, "a/b", 1).readAll();
    TestClient publisher = connect("pub", true);
    world.inboxes.refuseNextInsert = true;
    publish(publisher, 1, SAMPLED);
    publisher.readAll();
    assertThat(text(span("publish"), "error.type")).isEqualTo("not_durable");
    assertThat(text(span("store"), "error.type")).isEqualTo("not_durable");
  }

  @Test
  void shouldTraceTheWriteOfARetainedMessage() {
    TestClient publisher = connect("pub", true);
    publisher.publish(1, 1, "a/b", "hello", true, false, traceParent(SAMPLED)).readAll();
    SpanData retain = span("retain");
    assertThat(retain.getParentSpanId()).isEqualTo(span("publish").getSpanId());
    assertThat(retain.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    assertThat(text(span("publish"), "fjordmq.origin")).isEqualTo("client");
    assertThat(names()).doesNotContain("store");
  }

  @Test
  void shouldTraceAWill() {
    connect("sub", false).subscribe(1, "a/b", 1).readAll();
    TestClient client =
        world
            .open()
            .connect(
                to ->
                    to.protocolVersion(MqttVersion.MQTT_5)
                        .clientId("mortal")
                        .cleanSession(true)
                        .willFlag(true)
                        .willTopic("a/b")
                        .willMessage(new byte[] {1})
                        .willQoS(MqttQoS.AT_LEAST_ONCE)
                        .willProperties(traceParent(SAMPLED)));
    client.readAll();
    assertThat(ended).isEmpty();
    client.cut();
    SpanData publish = span("publish");
    assertThat(publish.getParentSpanId()).isEqualTo(PUBLISHER);
    assertThat(text(publish, "fjordmq.origin")).isEqualTo("will");
    assertThat(text(publish, "messaging.client.id")).isEqualTo("mortal");
    assertThat(span("store").getParentSpanId()).isEqualTo(publish.getSpanId());
    assertThat(span("route").getParentSpanId()).isEqualTo(publish.getSpanId());
  }

  @Test
  void shouldTraceQos2() {
    TestClient subscriber = connect("sub", true);
    subscriber.subscribe(1, "a/b", 2).readAll();
    TestClient publisher = connect("pub", true);
    publish(publisher, 2, SAMPLED);
    publisher.reply(MqttMessageType.PUBREL, 1).readAll();
    subscriber.readAll();
    subscriber.reply(MqttMessageType.PUBREC, 1).readAll();
    assertThat(names()).contains("publish", "route").doesNotContain("deliver");
    subscriber.reply(MqttMessageType.PUBCOMP, 1).readAll();
    assertThat(number(span("deliver"), "fjordmq.qos")).isEqualTo(2);
  }

  @Test
  void shouldTraceOnlyWhatThePublisherHasSampled() {
    TestClient subscriber = connect("sub", true);
    subscriber.subscribe(1, "a/b", 0).readAll();
    TestClient publisher = connect("pub", true);
    publish(publisher, 1, "00-" + TRACE + "-" + PUBLISHER + "-00");
    publish(publisher, 0, "invalid");
    publisher.publish(1, 1, "a/b", "without").readAll();
    subscriber.readAll();
    assertThat(ended).isEmpty();
  }

  @Test
  void shouldLimitTheDeliveriesOfAMessage() {
    for (int i = 0; i < 5; i++) {
      connect("sub" + i, true).subscribe(1, "a/b", 0).readAll();
    }
    publish(connect("pub", true), 0, SAMPLED);
    assertThat(names().stream().filter("deliver"::equals)).hasSize(2);
  }

  @Test
  void shouldDeliverTheTraceContextOfThePublisher() {
    TestClient subscriber = connect("sub", true);
    subscriber.subscribe(1, "a/b", 0).readAll();
    publish(connect("pub", true), 0, SAMPLED);
    subscriber.readAll();
    assertThat(
            subscriber.lastProperties().getProperties(MqttProperties.USER_PROPERTY).stream()
                .map(property -> ((MqttProperties.StringPair) property.value()).value))
        .containsExactly(SAMPLED);
  }
}
