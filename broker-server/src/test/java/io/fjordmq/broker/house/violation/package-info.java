/** Breaks rules on purpose, so that a test can see that the rules find it. */
@NullMarked
package io.fjordmq.broker.house.violation;

import org.jspecify.annotations.NullMarked;
