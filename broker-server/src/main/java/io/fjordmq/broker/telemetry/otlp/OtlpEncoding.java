package io.fjordmq.broker.telemetry.otlp;

import com.google.protobuf.ByteString;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.SeverityNumber;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.logs.data.LogRecordData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Encodes what this package records; spans have neither events nor links. Stateless. */
final class OtlpEncoding {
  private static final HexFormat HEX = HexFormat.of();

  /** Span flags: whether the parent is known to be remote. */
  private static final int HAS_IS_REMOTE = 0x100;

  private static final int IS_REMOTE = 0x200;

  private OtlpEncoding() {}

  static Resource resource(io.opentelemetry.sdk.resources.Resource resource) {
    return Resource.newBuilder().addAllAttributes(attributes(resource.getAttributes())).build();
  }

  static InstrumentationScope scope(InstrumentationScopeInfo scope) {
    return InstrumentationScope.newBuilder().setName(scope.getName()).build();
  }

  static Span span(SpanData span) {
    int flags = span.getSpanContext().getTraceFlags().asByte() & 0xFF | HAS_IS_REMOTE;
    return Span.newBuilder()
        .setTraceId(bytes(span.getTraceId()))
        .setSpanId(bytes(span.getSpanId()))
        .setParentSpanId(
            span.getParentSpanContext().isValid()
                ? bytes(span.getParentSpanId())
                : ByteString.EMPTY)
        .setFlags(span.getParentSpanContext().isRemote() ? flags | IS_REMOTE : flags)
        .setName(span.getName())
        .setKind(kind(span))
        .setStartTimeUnixNano(span.getStartEpochNanos())
        .setEndTimeUnixNano(span.getEndEpochNanos())
        .addAllAttributes(attributes(span.getAttributes()))
        .setStatus(
            Status.newBuilder()
                .setCode(
                    span.getStatus().getStatusCode() == StatusCode.ERROR
                        ? Status.StatusCode.STATUS_CODE_ERROR
                        : Status.StatusCode.STATUS_CODE_UNSET))
        .build();
  }

  private static Span.SpanKind kind(SpanData span) {
    return switch (span.getKind()) {
      case SERVER -> Span.SpanKind.SPAN_KIND_SERVER;
      case CLIENT -> Span.SpanKind.SPAN_KIND_CLIENT;
      case PRODUCER -> Span.SpanKind.SPAN_KIND_PRODUCER;
      case CONSUMER -> Span.SpanKind.SPAN_KIND_CONSUMER;
      case INTERNAL -> Span.SpanKind.SPAN_KIND_INTERNAL;
    };
  }

  static LogRecord line(LogRecordData line) {
    String text = line.getSeverityText();
    io.opentelemetry.api.common.Value<?> body = line.getBodyValue();
    return LogRecord.newBuilder()
        .setTimeUnixNano(line.getTimestampEpochNanos())
        .setObservedTimeUnixNano(line.getObservedTimestampEpochNanos())
        .setSeverityNumber(SeverityNumber.forNumber(line.getSeverity().getSeverityNumber()))
        .setSeverityText(text == null ? "" : text)
        .setBody(AnyValue.newBuilder().setStringValue(body == null ? "" : body.asString()))
        .addAllAttributes(attributes(line.getAttributes()))
        .build();
  }

  private static ByteString bytes(String hex) {
    return ByteString.copyFrom(HEX.parseHex(hex));
  }

  private static List<KeyValue> attributes(Attributes attributes) {
    List<KeyValue> pairs = new ArrayList<>(attributes.size());
    attributes.forEach(
        (key, value) ->
            pairs.add(KeyValue.newBuilder().setKey(key.getKey()).setValue(value(value)).build()));
    return pairs;
  }

  private static AnyValue value(Object value) {
    AnyValue.Builder builder = AnyValue.newBuilder();
    if (value instanceof Long number) {
      return builder.setIntValue(number).build();
    }
    if (value instanceof Boolean flag) {
      return builder.setBoolValue(flag).build();
    }
    return builder.setStringValue(value.toString()).build();
  }
}
