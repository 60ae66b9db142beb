/**
 * A plugin that records the load of the ranges on a node, for {@code bin/perf.sh replay} and for
 * tests of split strategies ({@link io.fjordmq.perf.recorder.LoadRecorder}). It runs inside the
 * broker and therefore uses only {@code broker-api} and the JDK.
 */
@NullMarked
package io.fjordmq.perf.recorder;

import org.jspecify.annotations.NullMarked;
