/** Bans clients that connect and disconnect again and again. */
@NullMarked
package io.fjordmq.broker.flapping;

import org.jspecify.annotations.NullMarked;
