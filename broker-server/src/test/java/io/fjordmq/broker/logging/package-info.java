/** Tests of the log. */
@NullMarked
package io.fjordmq.broker.logging;

import org.jspecify.annotations.NullMarked;
