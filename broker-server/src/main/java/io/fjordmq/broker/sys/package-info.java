/**
 * The {@code $SYS} topics, which show the state of a node to MQTT clients and are compatible with
 * tools for mosquitto and EMQX. Start reading at {@link io.fjordmq.broker.sys.SysTopics};
 * docs/SYS-TOPICS.md lists the topics.
 *
 * <p>The values describe only this node. They are kept in memory and are not stored.
 */
@NullMarked
package io.fjordmq.broker.sys;

import org.jspecify.annotations.NullMarked;
