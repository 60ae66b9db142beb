@NullMarked
package io.fjordmq.broker.slow;

import org.jspecify.annotations.NullMarked;
