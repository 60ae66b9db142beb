@NullMarked
package io.fjordmq.broker.limits;

import org.jspecify.annotations.NullMarked;
