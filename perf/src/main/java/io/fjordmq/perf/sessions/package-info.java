/**
 * Measures many sessions of a broker in this process, whose clients need no sockets. Start at
 * {@link io.fjordmq.perf.sessions.ManySessions}.
 */
@NullMarked
package io.fjordmq.perf.sessions;

import org.jspecify.annotations.NullMarked;
