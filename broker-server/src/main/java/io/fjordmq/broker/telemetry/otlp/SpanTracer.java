package io.fjordmq.broker.telemetry.otlp;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.broker.telemetry.MessageSpan;
import io.fjordmq.broker.telemetry.MessageTracer;
import io.fjordmq.broker.telemetry.PublishSpan;
import io.fjordmq.broker.telemetry.TraceParent;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Begins spans with the names and attributes of OpenTelemetry's conventions for messaging. The
 * publisher's span is the parent of {@code publish} and of each {@code deliver}, because the
 * message carries nothing else to other nodes; {@code route}, {@code retain} and {@code store} are
 * children of {@code publish}. Span names do not contain topics, of which there can be very many.
 */
final class SpanTracer implements MessageTracer {
  private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
  private static final AttributeKey<String> OPERATION =
      AttributeKey.stringKey("messaging.operation.name");
  private static final AttributeKey<String> OPERATION_TYPE =
      AttributeKey.stringKey("messaging.operation.type");
  private static final AttributeKey<String> TOPIC =
      AttributeKey.stringKey("messaging.destination.name");
  private static final AttributeKey<String> CLIENT_ID =
      AttributeKey.stringKey("messaging.client.id");
  private static final AttributeKey<Long> BODY_SIZE =
      AttributeKey.longKey("messaging.message.body.size");
  private static final AttributeKey<Long> INBOXES = AttributeKey.longKey("fjordmq.inboxes");
  private static final AttributeKey<Long> NODES = AttributeKey.longKey("fjordmq.nodes");
  private static final AttributeKey<Long> SHARES = AttributeKey.longKey("fjordmq.shares");
  private static final AttributeKey<Long> QOS = AttributeKey.longKey("fjordmq.qos");
  private static final AttributeKey<Boolean> RETAIN = AttributeKey.booleanKey("fjordmq.retain");
  private static final AttributeKey<String> ORIGIN = AttributeKey.stringKey("fjordmq.origin");
  private static final AttributeKey<String> TENANT = AttributeKey.stringKey("fjordmq.tenant");
  private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");

  private final Tracer tracer;
  private final SpanLimits limits;

  SpanTracer(Tracer tracer, SpanLimits limits) {
    this.tracer = tracer;
    this.limits = limits;
  }

  /** A span of the SDK. */
  private record SdkSpan(Span span) implements MessageSpan {
    @Override
    public void end(@Nullable String error) {
      if (error != null) {
        span.setStatus(StatusCode.ERROR).setAttribute(ERROR, error);
      }
      span.end();
    }
  }

  /** The span of a PUBLISH, with its children. */
  private record SdkPublishSpan(Tracer tracer, SdkSpan publish) implements PublishSpan {
    @Override
    public RouteSpan beginRoute() {
      Span route = begin("route");
      return (nodes, inboxes, shares) ->
          route
              .setAttribute(NODES, (long) nodes)
              .setAttribute(INBOXES, (long) inboxes)
              .setAttribute(SHARES, (long) shares)
              .end();
    }

    @Override
    public MessageSpan beginStore(int inboxes) {
      return new SdkSpan(begin("store").setAttribute(INBOXES, (long) inboxes));
    }

    @Override
    public MessageSpan beginRetain() {
      return new SdkSpan(begin("retain"));
    }

    private Span begin(String name) {
      return tracer
          .spanBuilder(name)
          .setParent(Context.root().with(publish.span))
          .setAttribute(SYSTEM, "mqtt")
          .setAttribute(OPERATION, name)
          .startSpan();
    }

    @Override
    public void end(@Nullable String error) {
      publish.end(error);
    }
  }

  @Override
  public @Nullable PublishSpan beginPublish(
      Message message, String tenant, String clientId, Origin origin) {
    TraceParent parent = TraceParent.of(message);
    if (parent == null || !parent.isSampled() || !limits.permit()) {
      return null;
    }
    Span span =
        begin("publish", SpanKind.SERVER, parent, message, tenant, clientId)
            .setAttribute(QOS, (long) message.qos().level())
            .setAttribute(RETAIN, message.retain())
            .setAttribute(ORIGIN, origin.name().toLowerCase(Locale.ROOT))
            .startSpan();
    return new SdkPublishSpan(tracer, new SdkSpan(span));
  }

  @Override
  public @Nullable MessageSpan beginDelivery(
      Message message, String tenant, String clientId, Qos qos) {
    TraceParent parent = TraceParent.of(message);
    if (parent == null || !parent.isSampled() || !limits.permitDelivery(parent)) {
      return null;
    }
    return new SdkSpan(
        begin("deliver", SpanKind.CLIENT, parent, message, tenant, clientId)
            .setAttribute(OPERATION_TYPE, "send")
            .setAttribute(QOS, (long) qos.level())
            .startSpan());
  }

  private SpanBuilder begin(
      String name,
      SpanKind kind,
      TraceParent parent,
      Message message,
      String tenant,
      String clientId) {
    SpanContext publisher =
        SpanContext.createFromRemoteParent(
            parent.traceId(), parent.spanId(), TraceFlags.getSampled(), TraceState.getDefault());
    SpanBuilder span =
        tracer
            .spanBuilder(name)
            .setSpanKind(kind)
            .setParent(Context.root().with(Span.wrap(publisher)))
            .setAttribute(SYSTEM, "mqtt")
            .setAttribute(OPERATION, name)
            .setAttribute(TOPIC, message.topic().name())
            .setAttribute(TENANT, tenant)
            .setAttribute(BODY_SIZE, (long) message.payload().length);
    return clientId.isEmpty() ? span : span.setAttribute(CLIENT_ID, clientId);
  }
}
