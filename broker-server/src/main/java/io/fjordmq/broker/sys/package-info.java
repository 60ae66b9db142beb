/**
 * The {@code $SYS} topics: what a node tells of itself to MQTT clients, in the forms that tools for
 * mosquitto and EMQX read. Start at {@link io.fjordmq.broker.sys.SysTopics}; docs/SYS-TOPICS.md
 * lists the topics.
 *
 * <p>The values are this node's and live in its memory: nothing of them is stored.
 */
@NullMarked
package io.fjordmq.broker.sys;

import org.jspecify.annotations.NullMarked;
