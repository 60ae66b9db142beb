/** Tests of the history of clients. */
@NullMarked
package io.fjordmq.broker.events;

import org.jspecify.annotations.NullMarked;
