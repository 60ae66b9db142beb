/**
 * Metrics of topics that operators have registered. {@link
 * io.fjordmq.broker.topicmetrics.TopicMetrics} manages the registered topics of the cluster, and
 * {@link io.fjordmq.broker.topicmetrics.TopicTraffic} counts their messages on this node.
 */
@NullMarked
package io.fjordmq.broker.topicmetrics;

import org.jspecify.annotations.NullMarked;
