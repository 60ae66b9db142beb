/** Startup failures, periodic tasks and the shutdown sequence of a node's components. */
@NullMarked
package io.fjordmq.broker.lifecycle;

import org.jspecify.annotations.NullMarked;
