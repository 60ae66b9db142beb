/**
 * The subscriptions to which this node delivers messages most slowly. Other packages report
 * latencies to {@link io.fjordmq.broker.slow.SlowSubscriptions}.
 */
@NullMarked
package io.fjordmq.broker.slow;

import org.jspecify.annotations.NullMarked;
