@NullMarked
package io.fjordmq.broker.records;

import org.jspecify.annotations.NullMarked;
