@NullMarked
package io.fjordmq.broker.nodes;

import org.jspecify.annotations.NullMarked;
