/**
 * Tests of the MQTT front end with the real pipeline, sessions and delivery, with stores in memory
 * ({@link io.fjordmq.broker.testing.World}), clients on embedded channels.
 */
@NullMarked
package io.fjordmq.broker.net;

import org.jspecify.annotations.NullMarked;
