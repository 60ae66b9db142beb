@NullMarked
package io.fjordmq.broker.trace;

import org.jspecify.annotations.NullMarked;
