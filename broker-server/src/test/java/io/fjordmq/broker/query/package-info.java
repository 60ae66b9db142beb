@NullMarked
package io.fjordmq.broker.query;

import org.jspecify.annotations.NullMarked;
