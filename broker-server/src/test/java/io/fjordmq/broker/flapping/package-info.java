@NullMarked
package io.fjordmq.broker.flapping;

import org.jspecify.annotations.NullMarked;
