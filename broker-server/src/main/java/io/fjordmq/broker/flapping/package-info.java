/** Bans clients that repeatedly connect and disconnect. */
@NullMarked
package io.fjordmq.broker.flapping;

import org.jspecify.annotations.NullMarked;
