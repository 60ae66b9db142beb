/**
 * The broker as its users see it: a separate process, used with third-party clients, killed and
 * started again.
 *
 * <p>Start at {@link io.fjordmq.broker.system.BrokerUnderTest}. With {@code
 * -Dfjordmq.test.broker=PORT} the client tests run against a broker that is there already, of any
 * make, to check the tests themselves.
 */
@NullMarked
package io.fjordmq.broker.system;

import org.jspecify.annotations.NullMarked;
