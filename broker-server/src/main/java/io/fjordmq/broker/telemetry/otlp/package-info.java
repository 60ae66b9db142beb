/**
 * The export of traces, logs and metrics by OTLP over gRPC, with the OpenTelemetry SDK. Loaded only
 * if an endpoint is configured; start at {@link io.fjordmq.broker.telemetry.otlp.OtlpTelemetry}.
 * The three exporters share one connection.
 */
@NullMarked
package io.fjordmq.broker.telemetry.otlp;

import org.jspecify.annotations.NullMarked;
