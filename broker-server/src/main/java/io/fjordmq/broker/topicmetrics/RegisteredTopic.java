package io.fjordmq.broker.topicmetrics;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A topic whose messages are counted.
 *
 * @param topic a topic name, without wildcards
 * @param createdAt when it was registered, in cluster time
 * @param resetAt when its counters were reset; null if never
 */
public record RegisteredTopic(
    String tenant, String topic, Instant createdAt, @Nullable Instant resetAt) {}
