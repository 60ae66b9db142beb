@NullMarked
package io.fjordmq.broker.topicmetrics;

import org.jspecify.annotations.NullMarked;
