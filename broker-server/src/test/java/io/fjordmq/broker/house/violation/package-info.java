/** Breaks rules on purpose, so that a test can verify that the rules detect it. */
@NullMarked
package io.fjordmq.broker.house.violation;

import org.jspecify.annotations.NullMarked;
