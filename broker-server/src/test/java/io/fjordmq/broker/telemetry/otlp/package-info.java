/** Tests of the export by OTLP, with a collector in the test. */
@NullMarked
package io.fjordmq.broker.telemetry.otlp;

import org.jspecify.annotations.NullMarked;
