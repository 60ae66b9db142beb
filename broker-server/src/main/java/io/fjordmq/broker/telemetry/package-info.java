/**
 * The interface through which sessions and delivery report traced messages ({@link
 * io.fjordmq.broker.telemetry.MessageTracer}), and the settings for the export to OpenTelemetry.
 * Only the subpackage {@code otlp} knows the OpenTelemetry libraries; its classes are not loaded
 * unless an endpoint is configured.
 */
@NullMarked
package io.fjordmq.broker.telemetry;

import org.jspecify.annotations.NullMarked;
