/**
 * The MQTT front end from the outside: real pipeline, real sessions, real delivery, stores in
 * memory ({@link io.fjordmq.broker.testing.World}), clients on embedded channels.
 */
@NullMarked
package io.fjordmq.broker.net;

import org.jspecify.annotations.NullMarked;
