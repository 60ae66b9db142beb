@NullMarked
package io.fjordmq.broker.providers;

import org.jspecify.annotations.NullMarked;
