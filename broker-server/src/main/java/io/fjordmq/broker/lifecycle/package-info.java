/**
 * The lifecycle of a node's components: startup failures, periodic tasks and the shutdown sequence.
 */
@NullMarked
package io.fjordmq.broker.lifecycle;

import org.jspecify.annotations.NullMarked;
