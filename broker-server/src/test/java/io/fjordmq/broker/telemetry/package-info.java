/** Tests of traces and of the export to OpenTelemetry. */
@NullMarked
package io.fjordmq.broker.telemetry;

import org.jspecify.annotations.NullMarked;
