/**
 * A plugin for a real node: writes down what its ranges have to do, for {@code bin/ranges.sh
 * replay} and for tests of split strategies ({@link io.fjordmq.perf.recorder.LoadRecorder}). It
 * runs inside the broker, so it knows {@code broker-api} and the JDK and nothing else of this
 * module.
 */
@NullMarked
package io.fjordmq.perf.recorder;

import org.jspecify.annotations.NullMarked;
