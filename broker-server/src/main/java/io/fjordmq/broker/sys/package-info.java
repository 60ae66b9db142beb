/**
 * The {@code $SYS} topics: the state of a node for MQTT clients, compatible with tools for
 * mosquitto and EMQX. Start at {@link io.fjordmq.broker.sys.SysTopics}; docs/SYS-TOPICS.md lists
 * the topics.
 *
 * <p>The values are those of this node. They stay in memory and are not stored.
 */
@NullMarked
package io.fjordmq.broker.sys;

import org.jspecify.annotations.NullMarked;
